// SPDX-License-Identifier: BSD-3-Clause
// How `shardstone collectives` ends when results are wrong: the real command, in a program that has
// one wrong algorithm besides (spoiler_test.cpp).
#include <gtest/gtest.h>

#include "validation/unit/commands/recorded_run.hpp"

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

TEST(ExitCode, IsZeroForRightOnesAndWhereNobodyLooks) {
    EXPECT_EQ(sweep("mpi").code(), 0);
    EXPECT_TRUE(sweep("mpi").record().verified());
    EXPECT_EQ(sweep("spoiler -c 0").code(), 0);
    EXPECT_FALSE(sweep("spoiler -c 0").record().verified());
}

}  // namespace
}  // namespace shardstone::validation
