// SPDX-License-Identifier: BSD-3-Clause
// For how long messages lay unseen: at once by several ranks counts once, outside counts not.
#include "reference/step/pricing/rank_waits.hpp"

#include <gtest/gtest.h>

namespace shardstone::validation {
namespace {

using namespace reference;

RankWaits late(std::vector<ActionSpan> looks) {
    RankWaits waits;
    waits.late_looks = std::move(looks);
    return waits;
}

TEST(RankWaits, CountWhereAnyRankWasLate) {
    const RankWaits one = late({{1.0, 2.0}, {4.0, 5.0}}), other = late({{1.5, 3.0}, {8.0, 9.0}});
    const std::vector both{&one, &other};
    EXPECT_DOUBLE_EQ(late_between(both, {0.0, 10.0}), 2.0 + 1.0 + 1.0);
    EXPECT_DOUBLE_EQ(late_between(both, {1.75, 4.25}), 1.25 + 0.25);
    EXPECT_EQ(late_between(both, {3.0, 4.0}), 0.0);
    EXPECT_EQ(late_between(both, {5.0, 8.0}), 0.0);
    EXPECT_DOUBLE_EQ(late_between(std::vector{&one}, {0.0, 3.0}), 1.0);
    EXPECT_EQ(late_between({}, {0.0, 10.0}), 0.0);
}

// One look spans another rank's whole one.
TEST(RankWaits, CountOneWithinAnotherOnce) {
    const RankWaits one = late({{1.0, 6.0}}), other = late({{2.0, 3.0}, {5.0, 7.0}});
    EXPECT_DOUBLE_EQ(late_between(std::vector{&other, &one}, {0.0, 10.0}), 6.0);
}

}  // namespace
}  // namespace shardstone::validation
