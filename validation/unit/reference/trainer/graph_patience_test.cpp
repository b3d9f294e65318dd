// SPDX-License-Identifier: BSD-3-Clause
// A graph is waited for as long as ten steps take, and no longer.
#include "reference/trainer/graph_patience.hpp"

#include <gtest/gtest.h>

namespace shardstone::reference {
namespace {

/// Seconds for which a rank moves that is asked every `interval_s`.
double moving_s(double longest_step_s, double interval_s) {
    GraphPatience patience(longest_step_s);
    double time_s = 0.0;
    while (patience.moves(interval_s)) time_s += interval_s;
    return time_s;
}

TEST(GraphPatience, IsTenTimesTheLongestStep) {
    EXPECT_NEAR(moving_s(3.0, 0.25), 30.0, 0.25);
    EXPECT_NEAR(moving_s(0.1, 0.25), 1.0, 0.25);
    EXPECT_EQ(moving_s(0.0, 0.25), 0.0);
}

TEST(GraphPatience, IsNotUsedUpWhileTheRankSleeps) {
    EXPECT_EQ(moving_s(3.0, 0.5), 29.5);
    EXPECT_EQ(moving_s(3.0, 3600.0) / 3600.0, 59.0);
}

}  // namespace
}  // namespace shardstone::reference
