// SPDX-License-Identifier: BSD-3-Clause
// Records of older versions, as their programs wrote them, read under what this one means.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "results/record/record.hpp"
#include "results/schema/machine.hpp"
#include "results/schema/studies.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

// Written by the program of that time: 24 steps, of which it left out six.
// Version 1 had the share of the fastest repetition beside the rate of the median.
TEST(OlderRecords, SharesOfKernelsAreOfTheMedian) {
    const results::Record record =
        results::read_record(SHARDSTONE_SOURCE_DIR "/results/archive/version1/kernels-all.h5");
    ASSERT_EQ(record.version, 1);
    const auto rows = results::rows_of<results::KernelRow>(record);
    const auto times = results::rows_of<results::KernelTimeRow>(record);
    const auto& columns = record.table("kernels").columns;
    const auto as_written = std::ranges::find(columns, "share", &results::Table::Column::name);
    ASSERT_FALSE(rows.empty());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double fastest_s = rows[i].time_s;
        for (const auto& time : times) {
            if (time.name == rows[i].name && time.size == rows[i].size) {
                fastest_s = std::min(fastest_s, time.time_s);
            }
        }
        EXPECT_NEAR(rows[i].share, as_written->numbers[i] * fastest_s / rows[i].time_s, 1e-9)
            << rows[i].name << " at " << rows[i].size;
    }
}

TEST(RecordFormat, RecordsOfVersionTwoAreReadUnderPresentNames) {
    const std::filesystem::path folder = SHARDSTONE_SOURCE_DIR "/results/archive/version2";
    const auto training = results::read_record(folder / "train.h5");
    EXPECT_EQ(training.version, 2);
    const auto summary = results::rows_of<results::TrainingRow>(training).at(0);
    EXPECT_EQ(summary.uncounted_steps, 6.0);
    EXPECT_EQ(summary.counted_steps, 18.0);
    EXPECT_TRUE(std::isnan(summary.flop_parameters));
    EXPECT_EQ(training.configuration.at("warmup_steps"), 10) << "the learning rate's";
    const auto ranks =
        results::rows_of<results::OverlapRankRow>(results::read_record(folder / "overlap.h5"));
    ASSERT_EQ(ranks.size(), 32U);  // two ways, eight rounds, two ranks
    EXPECT_GT(ranks.back().compute_s, 0.0);
    EXPECT_TRUE(std::isnan(ranks.back().preempted_s));
    const TemporaryFolder place;
    EXPECT_EQ(run_shell(shardstone_binary() + " verify " + folder.string(), place).code, 0);
}

// The column "emulated" came within version 3: the program of before wrote all others.
TEST(OlderRecords, FirstComparisonsOfVersionThreeHadNoEmulatedSide) {
    const TemporaryFolder place;
    const auto run = [&](const std::string& words) {
        return run_shell("cd " + place.path().string() + " && " + shardstone_binary() + " " + words,
                         place);
    };
    const std::string training = SHARDSTONE_SOURCE_DIR "/results/archive/quickstart/train-2.h5";
    ASSERT_EQ(run("compare " + training + " " + training + " --json new.json").code, 0);
    results::Record record = results::read_record(place / "new.json");
    for (auto& table : record.derived) {
        if (table.name != "comparison") continue;
        ASSERT_EQ(std::erase_if(table.columns, [](const auto& c) { return c.name == "emulated"; }),
                  1U);
    }
    results::write_json(record, place / "old.json");
    results::write_hdf5(record, place / "old.h5");
    for (const std::string file : {"old.json", "old.h5"}) {
        const auto verified = run("verify " + file);
        EXPECT_EQ(verified.code, 0) << verified.output;
        const auto shown = run("report " + file + " --out " + file + ".html");
        EXPECT_EQ(shown.code, 0) << shown.errors;
        const auto table = run("show " + file + " --table comparison").output;
        EXPECT_NE(table.find(",reason,emulated\n"), std::string::npos) << table;
        EXPECT_NE(table.find(",same,,\n"), std::string::npos) << table;
    }
}

}  // namespace
}  // namespace shardstone::validation
