// SPDX-License-Identifier: BSD-3-Clause
// What a real run records, and `shardstone show`, `verify` and `convert` on it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "results/format/atomic_file.hpp"
#include "results/format/hash.hpp"
#include "results/record/record.hpp"
#include "results/schema/collectives.hpp"
#include "results/schema/studies.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

using results::CollectiveRow;

/// The folder of a sweep over 3 ranks, 2 of them on the first of two pretended nodes, recorded in
/// both formats; run once for all tests.
const TemporaryFolder& recorded_sweep() {
    static const TemporaryFolder folder;
    static const Outcome run = run_shell(
        "mpiexec -n 3 " + shardstone_binary() +
            " collectives --op all_reduce --algorithm ring,mpi -b 48 -e 768 -f 16 -n 12"
            " --ranks-per-node 2 --json " +
            (folder / "sweep.json").string() + " --hdf5 " + (folder / "sweep.h5").string(),
        folder);
    EXPECT_EQ(run.code, 0) << run.errors;
    return folder;
}

/// Copies of its records, for each test its own.
class RecordedSweep : public testing::Test {
  protected:
    RecordedSweep() {
        for (const char* name : {"sweep.json", "sweep.h5"}) {
            std::filesystem::copy(recorded_sweep() / name, folder_ / name);
        }
    }
    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    Outcome shardstone(const std::string& words) {
        return run_shell(shardstone_binary() + " " + words, folder_);
    }

    TemporaryFolder folder_;
};

TEST_F(RecordedSweep, SaysWhereItRan) {
    const auto record = results::read_record(file("sweep.json"));
    const auto& environment = record.environment;
    EXPECT_EQ(environment.at("ranks"), 3);
    EXPECT_EQ(environment.at("nodes"), 1);  // what was found, not what was pretended
    EXPECT_EQ(environment.at("node_of_ranks"), std::vector<int>(3, 0));
    EXPECT_EQ(environment.at("declared_nodes"), 2);
    EXPECT_EQ(environment.at("systems"), 1);
    EXPECT_EQ(environment.at("machines").size(), 1U);
    EXPECT_EQ(environment.at("machines")[0].at("cpu"), environment.at("machine").at("cpu"));
    EXPECT_EQ(environment.at("cpus_of_ranks").size(), 3U);
    EXPECT_NE(environment.at("cpus_of_ranks")[2].get<std::string>(), "");
    ASSERT_EQ(environment.at("binding_of_ranks").size(), 3U);
    EXPECT_EQ(environment.at("binding_of_ranks")[2].at("cpus"), environment.at("cpus_of_ranks")[2]);
    EXPECT_NE(environment.at("build").at("flags").get<std::string>().find("-march="),
              std::string::npos);
    EXPECT_GT(record.identity.at("duration_s").get<double>(), 0.0);
}

TEST_F(RecordedSweep, VerifyFindsAnyChangedDigit) {
    EXPECT_EQ(shardstone("verify " + folder_.path().string()).code, 0);
    for (const char* name : {"sweep.json", "sweep.h5"}) {
        auto bytes = results::read_file(file(name));
        for (const std::size_t part : {1, 3, 7}) {
            auto changed = bytes;
            auto& byte = changed[changed.size() * part / 8];
            byte = static_cast<char>(byte ^ 1);
            std::ofstream(file(name), std::ios::binary) << changed;
            const auto outcome = shardstone("verify " + file(name));
            EXPECT_EQ(outcome.code, 1);
            EXPECT_NE(outcome.output.find("was changed"), std::string::npos) << outcome.output;
        }
        std::ofstream(file(name), std::ios::binary) << bytes;
    }
}

TEST_F(RecordedSweep, VerifyHoldsTwinsAgainstEachOther) {
    auto record = results::read_record(file("sweep.json"));
    record.derived[0].columns.front().texts.front() = "another";
    results::write_json(record, file("sweep.json"));
    const auto outcome = shardstone("verify " + folder_.path().string());
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("have different contents"), std::string::npos) << outcome.output;
}

TEST_F(RecordedSweep, VerifyNamesAFailedCheckAndTellsWhatIsNoRecord) {
    auto record = results::read_record(file("sweep.json"));
    record.verification.back().passed = false;
    results::write_json(record, file("failed.json"));
    const auto failed = shardstone("verify " + file("failed.json"));
    EXPECT_EQ(failed.code, 1);
    EXPECT_NE(failed.output.find(record.verification.back().name), std::string::npos);
    EXPECT_TRUE(shardstone("verify " + file("absent")).is_one_line_about("absent"));
}

// Files are judged one by one, in the order of their names; one that is bad makes all of it fail,
// wherever it stands.
TEST_F(RecordedSweep, VerifyOfManyFailsWithOneBadFirstOrLast) {
    auto record = results::read_record(file("sweep.json"));
    record.verification.back().passed = false;
    for (const std::string bad : {"a.json", "z.json"}) {
        record.identity["id"] = "another run, " + bad;
        results::write_json(record, file(bad));
        const auto outcome = shardstone("verify " + folder_.path().string());
        EXPECT_EQ(outcome.code, 1) << bad;
        EXPECT_NE(outcome.output.find("BAD     " + file(bad) + ": unchanged, but the check '" +
                                      record.verification.back().name + "' failed"),
                  std::string::npos)
            << outcome.output;
        EXPECT_NE(outcome.output.find("good    " + file("sweep.h5") + ": unchanged, 4 checks"),
                  std::string::npos)
            << outcome.output;
        EXPECT_NE(outcome.output.find("\n2 of 3 files are good\n"), std::string::npos);
        std::filesystem::remove(file(bad));
    }
    EXPECT_NE(shardstone("verify " + file("sweep.json") + " " + file("sweep.h5"))
                  .output.find("\n2 of 2 files are good\n"),
              std::string::npos);
}

TEST_F(RecordedSweep, VerifyTakesNoRunThatCheckedNothing) {
    auto record = results::read_record(file("sweep.json"));
    record.verification.clear();
    results::write_json(record, file("unchecked.json"));
    const auto outcome = shardstone("verify " + file("unchecked.json"));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("its run made no checks"), std::string::npos) << outcome.output;
}

TEST_F(RecordedSweep, ShowTellsTheRunAndItsTables) {
    const auto summary = shardstone("show " + file("sweep.h5"));
    EXPECT_NE(summary.output.find("--ranks-per-node 2"), std::string::npos);
    EXPECT_NE(summary.output.find("4 of 4 checks passed"), std::string::npos) << summary.output;
    const auto table = shardstone("show --table collectives " + file("sweep.h5")).output;
    const auto lines = std::count(table.begin(), table.end(), '\n');
    EXPECT_EQ(lines, 1 + 4);  // two algorithms at two sizes
    EXPECT_TRUE(table.starts_with("operation,algorithm,in_place,size_bytes,ranks,time_s,"));
    EXPECT_TRUE(
        shardstone("show --table nothing " + file("sweep.h5")).is_one_line_about("nothing"));
}

TEST_F(RecordedSweep, ConvertsWithoutLoss) {
    const auto original = results::read_record(file("sweep.h5"));
    std::filesystem::create_directory(folder_ / "to");
    for (const char* form : {"json", "hdf5", "jsonl", "csv"}) {
        EXPECT_EQ(
            shardstone("convert " + file("sweep.h5") + " --to " + form + " -o " + file("to")).code,
            0);
    }
    EXPECT_EQ(results::read_record(folder_ / "to/sweep.json").hash, original.hash);
    EXPECT_EQ(results::read_record(folder_ / "to/sweep.h5").hash, original.hash);
    const auto rows = results::rows_of<CollectiveRow>(original);
    std::ifstream lines(folder_ / "to/sweep.jsonl");
    std::size_t seen = 0;
    for (std::string line; std::getline(lines, line);) {
        const auto document = nlohmann::json::parse(line);
        if (document.value("table", "") != "collectives") continue;
        EXPECT_EQ(document.at("row").at("time_high_s"), rows.at(seen).time_high_s);
        EXPECT_EQ(document.at("row").at("algorithm"), rows.at(seen++).algorithm);
    }
    EXPECT_EQ(seen, rows.size());
    EXPECT_EQ(results::read_file(folder_ / "to/sweep.collectives.csv"),
              shardstone("show --table collectives " + file("sweep.h5")).output);
}

TEST_F(RecordedSweep, IsReadByTheModuleForPython) {
    const std::string python = "/usr/bin/python3";
    if (std::system((python + " -c 'import h5py' 2> /dev/null").c_str()) != 0) {
        GTEST_SKIP() << python << " has no h5py (apt install python3-h5py)";
    }
    const auto rows = results::rows_of<CollectiveRow>(results::read_record(file("sweep.h5")));
    std::ofstream(file("read.py"))
        << "import sys; sys.path.insert(0, '" SHARDSTONE_SOURCE_DIR "/results/python')\n"
        << "import shardstone_records\n"
        << "for name in ('sweep.h5', 'sweep.json'):\n"
        << "    record = shardstone_records.read('" << folder_.path().string() << "/' + name)\n"
        << "    assert record.verified and record.environment['ranks'] == 3\n"
        << "    row = record.rows('collectives')[-1]\n"
        << "    print(row['algorithm'], row['size_bytes'], float(row['busbw_gb_s']).hex())\n"
        << "    assert record.unit('collectives', 'busbw_gb_s') == 'GB/s', name\n"
        << "    assert record.unit('collectives', 'algorithm') == '', name\n"
        << "assert len(shardstone_records.read_all('" << folder_.path().string() << "')) == 1\n";
    const auto outcome = run_shell(python + " " + file("read.py"), folder_);
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const auto second = outcome.output.find('\n') + 1;
    EXPECT_EQ(outcome.output.substr(0, second), outcome.output.substr(second));
    EXPECT_TRUE(outcome.output.starts_with(rows.back().algorithm + " 768.0 "));
    const auto number = outcome.output.substr(outcome.output.rfind(' ') + 1);
    EXPECT_EQ(std::strtod(number.c_str(), nullptr), rows.back().busbw_gb_s);
}

TEST_F(RecordedSweep, IsVerifiedForPythonOnlyWithChecksThatAllPassed) {
    const std::string python = "/usr/bin/python3";
    if (std::system((python + " -c 'import h5py' 2> /dev/null").c_str()) != 0) {
        GTEST_SKIP() << python << " has no h5py (apt install python3-h5py)";
    }
    const auto write = [&](const results::Record& record, const std::string& name) {
        results::write_json(record, file(name + ".json"));
        results::write_hdf5(record, file(name + ".h5"));
    };
    auto record = results::read_record(file("sweep.json"));
    ASSERT_GT(record.verification.size(), 1U);
    record.verification.back().passed = false;
    write(record, "failed");
    record.verification.clear();
    write(record, "unchecked");
    std::ofstream(file("read.py"))
        << "import sys; sys.path.insert(0, '" SHARDSTONE_SOURCE_DIR "/results/python')\n"
        << "import shardstone_records\n"
        << "for name in ('sweep', 'failed', 'unchecked'):\n"
        << "    for form in ('.json', '.h5'):\n"
        << "        path = '" << folder_.path().string() << "/' + name + form\n"
        << "        print(name + form, shardstone_records.read(path).verified)\n";
    const auto outcome = run_shell(python + " " + file("read.py"), folder_);
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output,
              "sweep.json True\nsweep.h5 True\n"
              "failed.json False\nfailed.h5 False\n"
              "unchecked.json False\nunchecked.h5 False\n");
}

// A reader of the file alone knows what its numbers are.
TEST_F(RecordedSweep, TellsUnitsAndMeaningsInJson) {
    const auto document = nlohmann::json::parse(results::read_file(file("sweep.json")));
    for (const auto& group : {document.at("derived"), document.at("samples")}) {
        for (const auto& table : group) {
            const auto* described = results::find_description(table.at("name"));
            ASSERT_NE(described, nullptr) << table.at("name");
            EXPECT_EQ(table.value("meaning", ""), described->meaning) << described->name;
            for (std::size_t c = 0; c < described->columns.size(); ++c) {
                const auto& column = described->columns[c];
                const auto& written = table.at("columns").at(c);
                ASSERT_EQ(written.value("name", ""), column.name);
                EXPECT_EQ(written.value("unit", ""), column.unit) << column.name;
                EXPECT_EQ(written.value("meaning", ""), column.meaning) << column.name;
            }
        }
    }
}

TEST_F(RecordedSweep, IsReadWithoutUnitsAndMeaningsAsOlderOnesAre) {
    auto document = nlohmann::ordered_json::parse(results::read_file(file("sweep.json")));
    const std::string hash = document.at("hash");
    for (const char* group : {"derived", "samples"}) {
        for (auto& table : document.at(group)) {
            table.erase("meaning");
            for (auto& column : table.at("columns")) {
                column.erase("meaning");
                column.erase("unit");
            }
        }
    }
    document.erase("seal");
    const std::string rest = document.dump(1).substr(2) + "\n";
    std::ofstream(file("bare.json")) << "{\"seal\": \"" << results::hash_of_bytes(rest) << "\",\n"
                                     << rest;
    EXPECT_EQ(results::read_record(file("bare.json")).hash, hash);
    EXPECT_EQ(shardstone("verify " + file("bare.json")).code, 0);
}

// Written by the program of that time: 24 steps, of which it left out six.
TEST(RecordFormat, ThePageIsUpToDate) {
    const TemporaryFolder folder;
    EXPECT_EQ(run_shell(shardstone_binary() + " show --format", folder).output,
              results::read_file(SHARDSTONE_SOURCE_DIR "/results/schema/README.md"));
}

}  // namespace
}  // namespace shardstone::validation
