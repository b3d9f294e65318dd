// SPDX-License-Identifier: BSD-3-Clause
// A cluster that failed its validation, in the words of the commands that read its record: the
// record is sound, and its verdict stands beside that everywhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <regex>
#include <stdexcept>

#include "results/bundle/gather.hpp"
#include "results/bundle/opened.hpp"
#include "results/format/atomic_file.hpp"
#include "results/record/record.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

const std::string archive = SHARDSTONE_SOURCE_DIR "/results/archive/quickstart/";

/// Two ranks of which one receives wrong data, which fails however busy the machine is, validated
/// once for all tests by limits.toml, in i.json.
class InterconnectVerdict : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder() = std::make_unique<TemporaryFolder>();
        write_limits("limits.toml", "1e-9");
        const auto run = run_in(
            "LD_PRELOAD=$SHARDSTONE_RANK_FAULTS FLIPPED_RANK=0 "
            "mpiexec -n 2 $S validate interconnect --part pairs --budget 1 --sizes 8,64K "
            "--ranks-per-node 1 --accept limits.toml --json i.json");
        if (run.code != 1) throw std::runtime_error(run.output + run.errors);
    }
    static void TearDownTestSuite() { folder().reset(); }

    static void write_limits(const std::string& name, const std::string& limit) {
        std::ofstream(path(name)) << "[[limit]]\nquantity = 'latency between nodes'\n"
                                     "statistic = 'median'\nsize = '8'\nlimit = "
                                  << limit << "\nunit = 's'\n";
    }
    static std::unique_ptr<TemporaryFolder>& folder() {
        static std::unique_ptr<TemporaryFolder> one;
        return one;
    }
    static std::string path(const std::string& name) { return (*folder() / name).string(); }
    /// In the folder of the record; $S is the program.
    static Outcome run_in(const std::string& words) {
        return run_shell(fmt::format("cd {} && S={} && {}", path(""), shardstone_binary(), words),
                         *folder());
    }
    static std::string file_in(const std::string& zip, const std::string& name) {
        std::vector<std::string> wrong;
        const auto bundle = open_bundle(read_file(path(zip)), zip, wrong);
        const auto* const file = bundle.find(name);
        return file == nullptr ? "" : file->bytes;
    }
};

bool says(const std::string& text, const std::string& pattern) {
    return std::regex_search(text, std::regex(pattern));
}

TEST_F(InterconnectVerdict, VerifyTellsItBesideTheSoundFile) {
    const auto outcome = run_in("$S verify i.json " + archive + "probe.h5");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_TRUE(
        says(outcome.output,
             "good    i[.]json: unchanged, 2 checks of the run itself passed; its verdict "
             "on what it tested is FAIL on nodes declared [(]--ranks-per-node[)], not found: "
             "[0-9]+ messages? with wrong data, (1 of 1 limit .*)\n"
             "        - wrong data: rank [01] on "))
        << outcome.output;
    EXPECT_TRUE(says(outcome.output, "good    .*probe[.]h5: unchanged, [0-9]+ checks passed\n"));
    EXPECT_TRUE(outcome.output.ends_with(
        "2 of 2 files are good; by 1 of them, what was tested did NOT pass\n"))
        << outcome.output;
    const auto none = run_in("$S verify " + archive + "probe.h5");
    EXPECT_TRUE(none.output.ends_with("1 of 1 files are good\n")) << none.output;
}

/// After 64 KiB the limit would be another, and pass.
TEST_F(InterconnectVerdict, AnAcceptanceFileIsNeverCut) {
    const std::string begin =
                          "[[limit]]\nquantity = 'wake-up delay'\nstatistic = 'median'\n"
                          "unit = 'us'\n#",
                      limit = "\nlimit = 1";
    constexpr std::size_t most_bytes = 64 << 10;
    const std::string kept =
        begin + std::string(most_bytes - begin.size() - limit.size(), 'x') + limit;
    std::ofstream(path("long.toml")) << kept << "00000000\n";
    const auto refused =
        run_in("$S validate interconnect --part ranks --budget 1 --accept long.toml");
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(refused.is_one_line_about("long.toml: longer than 65536 bytes")) << refused.errors;
}

TEST_F(InterconnectVerdict, VerifyTellsWhatIsInconclusive) {
    ASSERT_EQ(run_in("$S validate interconnect --part pairs --budget 1 --json one.json").code, 7);
    const auto outcome = run_in("$S verify one.json");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_TRUE(
        says(outcome.output, "its verdict on what it tested is INCONCLUSIVE\n        - one rank"))
        << outcome.output;
    EXPECT_NE(outcome.output.find("did NOT pass"), std::string::npos);
}

TEST_F(InterconnectVerdict, ShowTellsIt) {
    const auto outcome = run_in("$S show i.json");
    const auto verdict = outcome.output.find(
        "Its verdict on what it tested is FAIL on nodes declared (--ranks-per-node), not found: ");
    EXPECT_NE(outcome.output.find(" wrong data, 1 of 1 limit ", verdict), std::string::npos);
    EXPECT_NE(outcome.output.find("\n  - wrong data: rank ", verdict), std::string::npos)
        << outcome.output;
    EXPECT_LT(verdict, outcome.output.find("2 of 2 checks passed")) << outcome.output;
    EXPECT_LT(verdict, outcome.output.find("environment")) << "first what it found";
}

TEST_F(InterconnectVerdict, TheReportNeverTakesChecksForIt) {
    const auto outcome = run_in("$S report i.json " + archive + "probe.h5 --out r.html --force");
    EXPECT_TRUE(says(outcome.output,
                     "checks of 2 runs passed, which says only that the runs were "
                     "sound, not that what they tested is[.]"))
        << outcome.output;
    EXPECT_TRUE(says(outcome.output,
                     "  [*] Interconnect: FAIL on nodes declared .*: [0-9]+ messages? with wrong "
                     "data, .*[.] .*: i[.]json.\n    - wrong data: rank "))
        << outcome.output;
    EXPECT_EQ(outcome.output.find("FAIL"), outcome.output.rfind("FAIL"))
        << "once among the findings";
    const std::string page = read_file(path("r.html"));
    EXPECT_NE(page.find("<strong>FAIL</strong><span>verdict of i.json"), std::string::npos);
    EXPECT_NE(page.find("checks of the runs, all passed"), std::string::npos);
    EXPECT_NE(page.find("2 checks of the run passed; its verdict on what it tested: FAIL"),
              std::string::npos);
    EXPECT_EQ(page.find("verdict of probe.h5"), std::string::npos) << "it has none";
}

TEST_F(InterconnectVerdict, ABundleTellsItAndWhatItWasJudgedBy) {
    const auto made = run_in("$S bundle i.json --acceptance limits.toml --out b.zip --force");
    ASSERT_EQ(made.code, 0) << made.errors;
    EXPECT_TRUE(
        says(made.output, "measured   records/i[.]h5; its verdict is FAIL on nodes declared"));
    EXPECT_EQ(made.errors, "");
    const std::string readme = file_in("b.zip", "README.md");
    EXPECT_TRUE(
        says(readme,
             "\n- `records/i[.]h5`: [*][*]FAIL on nodes declared .*[*][*]: [0-9]+ messages? with "
             "wrong data, .*\n  - wrong data: rank "))
        << readme;
    EXPECT_NE(
        readme.find("- `acceptance.toml`: the limits by which `records/i.h5` was judged: give "
                    "it to --accept\n"),
        std::string::npos)
        << readme;
    EXPECT_TRUE(says(file_in("b.zip", "manifest.json"), "\"verdict\": \"FAIL on nodes declared"));
    EXPECT_TRUE(says(file_in("b.zip", "manifest.json"), "\"wrong data: rank "));
    const auto verified = run_in("$S verify b.zip");
    EXPECT_EQ(verified.code, 0) << verified.output;
    EXPECT_TRUE(says(verified.output,
                     "records/i[.]h5: its verdict on what it tested is FAIL on nodes declared"))
        << verified.output;
    EXPECT_NE(verified.output.find("by 1 of them, what was tested did NOT pass"),
              std::string::npos);
    EXPECT_EQ(verified.output.find("judged by it"), std::string::npos);
}

TEST_F(InterconnectVerdict, ABundleRefusesAnotherAcceptanceFile) {
    write_limits("kinder.toml", "10");
    const auto refused = run_in("$S bundle i.json --acceptance kinder.toml --out c.zip");
    EXPECT_TRUE(refused.is_one_line_about(
        "--acceptance 'kinder.toml' has line 5: 'limit = 10' instead of 'limit = 1e-9', by which "
        "records/i.h5 was judged"))
        << refused.errors;
    EXPECT_EQ(run_in("test -e c.zip").code, 1);
    const auto made = run_in("$S bundle i.json i.json --out c.zip");
    EXPECT_EQ(made.code, 0) << "the record holds its limits";
    EXPECT_TRUE(says(made.output, "not taken again: i[.]json: it is the run of 'i[.]json'"))
        << made.output;
    EXPECT_EQ(file_in("c.zip", "acceptance.toml"), read_file(path("limits.toml")));
    EXPECT_TRUE(says(file_in("c.zip", "README.md"), "[|] 2 of 2 [|] [*][*]FAIL[*][*] [|]\n"));
}

/// As someone would make it who can compute hashes.
TEST_F(InterconnectVerdict, VerifyFindsAnotherAcceptanceFileWhateverItsHashes) {
    auto contents = gather({path("i.json")}, path("limits.toml")).contents;
    const std::string agreed = *contents.acceptance;
    contents.acceptance->replace(agreed.find("1e-9"), 4, "10.0");
    write_file(path("forged.zip"), to_zip(bundle_files(contents)));
    const auto outcome = run_in("$S verify forged.zip");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("acceptance.toml: line 5: 'limit = 10.0' instead of 'limit = "
                                  "1e-9', by which records/i.h5 was judged"),
              std::string::npos)
        << outcome.output;
}

TEST_F(InterconnectVerdict, AnAcceptanceFileThatJudgedNothingIsRefused) {
    const std::string bundle = "$S bundle " + archive + "probe.h5 --out d.zip --acceptance ";
    const auto refused = run_in(bundle + "limits.toml");
    EXPECT_EQ(refused.code, 2) << refused.output;
    EXPECT_TRUE(refused.is_one_line_about(
        "--acceptance 'limits.toml': no record of the bundle was judged by it"))
        << refused.errors;
    const auto shipped = run_in(bundle + "8xh100-400g");
    EXPECT_TRUE(shipped.is_one_line_about(
        "--acceptance '8xh100-400g': no record of the bundle was judged by it"))
        << shipped.errors;
    const auto none = run_in(bundle + "nowhere");
    EXPECT_TRUE(
        none.is_one_line_about("--acceptance 'nowhere' is no file that exists: give an "
                               "acceptance file, or the name of one of: 8xh100-400g"))
        << none.errors;
    EXPECT_EQ(run_in("test -e d.zip").code, 1);
}

TEST_F(InterconnectVerdict, WhatIsNoAcceptanceFileIsRefused) {
    const std::string cluster = SHARDSTONE_SOURCE_DIR "/jobs/clusters/fat-tree-4to1.toml";
    for (const std::string& records : {archive + "probe.h5", std::string("i.json")}) {
        const auto refused =
            run_in("$S bundle " + records + " --out e.zip --acceptance " + cluster);
        EXPECT_EQ(refused.code, 2) << refused.output;
        EXPECT_TRUE(
            refused.is_one_line_about("--acceptance '" + cluster + "' is no acceptance file: "))
            << refused.errors;
    }
    EXPECT_EQ(run_in("test -e e.zip").code, 1);
}

/// As another program might make it.
TEST_F(InterconnectVerdict, VerifySaysThatAFileJudgedNothing) {
    auto contents = gather({archive + "probe.h5"}, std::nullopt).contents;
    contents.acceptance = read_file(path("limits.toml"));
    write_file(path("f.zip"), to_zip(bundle_files(contents)));
    EXPECT_NE(file_in("f.zip", "README.md").find("NO record in here was judged by them"),
              std::string::npos);
    const auto verified = run_in("$S verify f.zip");
    EXPECT_EQ(verified.code, 0);
    EXPECT_NE(verified.output.find("acceptance.toml: no record in here was judged by it"),
              std::string::npos)
        << verified.output;
}

}  // namespace
}  // namespace shardstone::validation
