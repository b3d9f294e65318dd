// SPDX-License-Identifier: BSD-3-Clause
// How `shardstone collectives` ends when results are wrong: the real command, in a program that has
// wrong algorithms besides (spoiler_test.cpp).
#include <gtest/gtest.h>

#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

RecordedRun sweep(const std::string& arguments) {
    return {2,
            "collectives --cluster clock.toml -b 64 -e 64 -n 6 -w 0 --algorithm " + arguments,
            {{"clock.toml", clock_cluster}}};
}

TEST(ExitCode, IsOneForWrongResultsWhichTheRecordTellsOf) {
    const auto run = sweep("mpi,spoiler");
    EXPECT_EQ(run.code(), 1) << run.errors();
    EXPECT_FALSE(run.record().verified());
    ASSERT_EQ(run.record().verification.size(), 2U);
    EXPECT_TRUE(run.record().verification[0].passed);
    EXPECT_FALSE(run.record().verification[1].passed);
    EXPECT_NE(run.record().verification[1].name.find("spoiler"), std::string::npos);
    // Sixteen elements on each of two ranks.
    EXPECT_EQ(run.record().verification[1].detail,
              "32 wrong elements in the last timed iteration and 0 more runs");
    EXPECT_EQ(run.record().table("collectives").column("checked").numbers, (std::vector{1.0, 0.0}));
    EXPECT_NE(run.output().find("32 WRONG"), std::string::npos) << run.output();
    EXPECT_NE(run.output().find("1 of 2 points gave WRONG results"), std::string::npos);
}

TEST(ExitCode, IsOneWhicheverOfTheCheckedRunsIsWrong) {
    const auto expect_wrong = [](const std::string& algorithm, const std::string& wrong) {
        const auto run = sweep(algorithm + " -c 3");
        EXPECT_EQ(run.code(), 1) << algorithm << run.errors();
        ASSERT_EQ(run.record().verification.size(), 1U);
        EXPECT_FALSE(run.record().verification[0].passed) << algorithm;
        EXPECT_EQ(run.record().verification[0].detail,
                  wrong + " wrong elements in the last timed iteration and 2 more runs")
            << algorithm;
    };
    // One element on each of two ranks, in the first of the three runs, or in the two others.
    expect_wrong("spoiler_when_timed", "2");
    expect_wrong("spoiler_in_further_runs", "4");
    EXPECT_EQ(sweep("spoiler_in_further_runs -c 1").code(), 0) << "-c 1 looks at no further run";
}

TEST(ExitCode, IsZeroForRightOnesAndWhereNobodyLooks) {
    EXPECT_EQ(sweep("mpi").code(), 0);
    EXPECT_TRUE(sweep("mpi").record().verified());
    EXPECT_EQ(sweep("spoiler -c 0").code(), 0);
    EXPECT_FALSE(sweep("spoiler -c 0").record().verified());
}

}  // namespace
}  // namespace shardstone::validation
