// SPDX-License-Identifier: BSD-3-Clause
// How the times of algorithms that took turns become what "auto" chooses by.
#include "benchmarks/collectives/calibration/candidates.hpp"

#include <gtest/gtest.h>

namespace shardstone::benchmarks {
namespace {

TEST(PairedMedians, AreTheMediansWhereNothingChanges) {
    const auto medians = paired_medians({{2.0, 2.0, 2.0}, {8.0, 8.0, 8.0}});
    ASSERT_EQ(medians.size(), 2U);
    EXPECT_DOUBLE_EQ(medians[0], 2.0);
    EXPECT_DOUBLE_EQ(medians[1], 8.0);
}

// The first takes 0.9 of the second's time in the same state of the machine, which is six times as
// slow in half of the rounds and changed within the second and the fourth. Plain medians would be 6
// against 1.1.
TEST(PairedMedians, AMachineThatChangesBetweenRoundsDoesNotDecide) {
    const auto medians = paired_medians({{1.0, 6.0, 6.0, 6.0, 1.0}, {1.1, 1.1, 6.6, 1.1, 1.1}});
    EXPECT_LT(medians[0], medians[1]);
}

TEST(PairedMedians, CountOnlyRoundsThatAllTookPartIn) {
    const auto medians = paired_medians({{2.0, 100.0}, {4.0}});
    EXPECT_DOUBLE_EQ(medians[0], 2.0);
    EXPECT_DOUBLE_EQ(medians[1], 4.0);
}

}  // namespace
}  // namespace shardstone::benchmarks
