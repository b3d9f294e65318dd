// SPDX-License-Identifier: BSD-3-Clause
// `shardstone bundle` and `shardstone verify` of an archive as a user runs them.
#include <gtest/gtest.h>

#include <fstream>

#include "results/bundle/archive.hpp"
#include "results/format/atomic_file.hpp"
#include "validation/unit/results/bundle/bundled.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

const std::string records = SHARDSTONE_SOURCE_DIR "/results/archive/";

class BundleCommand : public testing::Test {
  protected:
    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    Outcome run(const std::string& arguments) const {
        return run_shell(shardstone_binary() + " " + arguments, folder_);
    }
    /// As a hand would do it that knows nothing of archives.
    void alter(const std::string& name, const std::string& old, const std::string& fresh) const {
        std::string bytes = results::read_file(file(name));
        const std::size_t place = bytes.find(old);
        ASSERT_NE(place, std::string::npos);
        bytes.replace(place, old.size(), fresh);
        std::ofstream(file(name), std::ios::binary) << bytes;
    }

    TemporaryFolder folder_;
};

TEST_F(BundleCommand, MakesTheSameArchiveTwiceAndVerifiesIt) {
    const std::string given = records + "quickstart ";
    const Outcome made = run("bundle " + given + "--out " + file("a.zip"));
    ASSERT_EQ(made.code, 0) << made.errors;
    EXPECT_NE(made.output.find("measured   records/train-hybrid-8.h5"), std::string::npos)
        << made.output;
    ASSERT_EQ(run("bundle " + given + "--out " + file("b.zip")).code, 0);
    EXPECT_TRUE(results::read_file(file("a.zip")) == results::read_file(file("b.zip")));
    const Outcome good = run("verify " + file("a.zip"));
    EXPECT_EQ(good.code, 0) << good.output;
    EXPECT_NE(good.output.find("9 records (9 measured)"), std::string::npos) << good.output;
    EXPECT_EQ(good.output.find(" 0 figures"), std::string::npos) << good.output;
    EXPECT_EQ(made.output.substr(made.output.find("SHA-256 ") + 8, 64),
              good.output.substr(good.output.find("SHA-256 ") + 8, 64));
}

TEST_F(BundleCommand, NamesWhatWasAltered) {
    ASSERT_EQ(run("bundle " + records + "quickstart/train-2.h5 --out " + file("a.zip")).code, 0);
    alter("a.zip", "<h1>How well", "<h1>How w3ll");
    const Outcome bad = run("verify " + file("a.zip"));
    EXPECT_EQ(bad.code, 1) << bad.output;
    EXPECT_NE(bad.output.find("BAD     " + file("a.zip") + ": changed"), std::string::npos)
        << bad.output;
    EXPECT_NE(bad.output.find("report.html: the head of the page: 'How w3ll"), std::string::npos)
        << bad.output;
    std::ofstream(file("not.zip")) << "text";
    EXPECT_EQ(run("verify " + file("not.zip")).code, 1);
}

/// Neither good nor bad: its hashes are right, and its report is not as this version makes it.
TEST_F(BundleCommand, VerifyEndsWithOneForWhatItCannotJudge) {
    auto contents = example_contents();
    contents.maker.version = "0.0.1";
    auto files = bundle_files(contents);
    replace_in(file_of(files, "report.html").bytes, "<h2", "<h2 ");
    reseal_manifest_over(files, contents);
    results::write_file(file("other.zip"), results::to_zip(files));
    const Outcome alone = run("verify " + file("other.zip"));
    EXPECT_EQ(alone.code, 1) << alone.output;
    EXPECT_TRUE(alone.output.starts_with("?       " + file("other.zip") + ": ")) << alone.output;
    EXPECT_TRUE(alone.output.ends_with("0 of 1 files are good\n")) << alone.output;
    const Outcome beside = run("verify " + records + "quickstart/probe.h5 " + file("other.zip"));
    EXPECT_EQ(beside.code, 1) << beside.output;
    EXPECT_TRUE(beside.output.ends_with("1 of 2 files are good\n")) << beside.output;
}

TEST_F(BundleCommand, TakesRecordsOfEveryVersion) {
    for (const char* version : {"version1", "version2"}) {
        const std::string zip = file(std::string(version) + ".zip");
        const Outcome made = run("bundle " + records + version + " --out " + zip);
        ASSERT_EQ(made.code, 0) << made.errors;
        const Outcome good = run("verify " + zip);
        EXPECT_EQ(good.code, 0) << good.output;
    }
}

TEST_F(BundleCommand, KeepsFilesUnlessForced) {
    const std::string line = "bundle " + records + "quickstart/probe.h5 --out " + file("a.zip");
    ASSERT_EQ(run(line).code, 0);
    const Outcome kept = run(line);
    EXPECT_TRUE(kept.is_one_line_about("already exists")) << kept.errors;
    EXPECT_EQ(run(line + " --force").code, 0);
}

TEST_F(BundleCommand, CarriesFailedRecordsOutsideTheReport) {
    auto failed = written_pipeline();
    failed.verification[0].passed = false;
    results::write_json(failed, file("failed.json"));
    const Outcome made = run("bundle " + records + "quickstart/probe.h5 " + file("failed.json") +
                             " --out " + file("a.zip"));
    ASSERT_EQ(made.code, 0) << made.errors;
    EXPECT_NE(made.output.find("not in the report: records/failed.h5: it did not pass"),
              std::string::npos)
        << made.output;
    const Outcome good = run("verify " + file("a.zip"));
    EXPECT_EQ(good.code, 0) << good.output;
    EXPECT_NE(good.output.find("(2 measured; 1 not fit for the report)"), std::string::npos)
        << good.output;
    const Outcome none = run("bundle " + file("failed.json") + " --out " + file("b.zip"));
    EXPECT_TRUE(none.is_one_line_about("nothing to bundle")) << none.errors;
}

}  // namespace
}  // namespace shardstone::validation
