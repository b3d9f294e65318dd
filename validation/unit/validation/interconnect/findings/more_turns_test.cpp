// SPDX-License-Identifier: BSD-3-Clause
// More turns are called for where it is open whether a rank is slow, and only there.
#include "validation/interconnect/more_turns.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/findings.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {
namespace {

/// Rank 2 takes so many times as long in its compute turns from `first` on.
InterconnectSamples with_slow_turns(double factor, double first) {
    auto samples = planted_samples();
    for (auto& row : samples.ranks) {
        if (row.rank == 2.0 && row.test == "arithmetic" && row.turn >= first) row.time_s *= factor;
    }
    return samples;
}

double log10_odds_in(const InterconnectSamples& samples) {
    for (const auto& row : find_in(samples).rank_tests) {
        if (row.rank == 2.0 && row.test == "arithmetic") return row.log10_odds;
    }
    return std::nan("");
}

TEST(MoreTurns, AreNeededWhereItIsOpenWhetherARankIsSlow) {
    EXPECT_FALSE(more_turns_are_needed(planted_samples()));
    const auto may_be = with_slow_turns(1.08, 0.0);
    EXPECT_GT(log10_odds_in(may_be), 2.0);
    EXPECT_LT(log10_odds_in(may_be), 4.0);
    EXPECT_TRUE(more_turns_are_needed(may_be));
    // Not enough to accuse it, and too much to let it go.
    const auto nearly = with_slow_turns(1.06, 0.0);
    EXPECT_LT(log10_odds_in(nearly), 2.0);
    EXPECT_GT(log10_odds_in(nearly), -0.5);
    EXPECT_TRUE(more_turns_are_needed(nearly));
    // A turn or two that are slow leave nothing open.
    EXPECT_FALSE(more_turns_are_needed(with_slow_turns(1.08, 3.0)));
}

TEST(MoreTurns, AreNotNeededForWhatIsPlain) {
    const auto plain = with_slow_turns(100.0, 0.0);
    EXPECT_GT(log10_odds_in(plain), 4.0);
    EXPECT_FALSE(more_turns_are_needed(plain));
    auto of_two = with_slow_turns(1.4, 0.0);
    std::erase_if(of_two.ranks, [](const auto& row) { return row.rank < 2.0; });
    EXPECT_GT(log10_odds_in(of_two), -0.5);
    EXPECT_LT(log10_odds_in(of_two), 4.0);
    EXPECT_FALSE(more_turns_are_needed(of_two)) << "of two none can be suspected";
    InterconnectSamples none;
    EXPECT_FALSE(more_turns_are_needed(none)) << "without ranks";
}

TEST(MoreTurns, AreNeededWhateverOtherWorkWasSeen) {
    auto busy = with_slow_turns(1.08, 0.0);
    auto& during_turns = busy.conditions.emplace_back();
    during_turns.part = during_ranks;
    during_turns.disturbed = during_turns.tries = 1.0;
    during_turns.others_share = 0.9;
    during_turns.waiting_share = during_turns.stolen_share = 0.0;
    ASSERT_EQ(find_in(busy).verdict, Acceptance::inconclusive) << "which excuses its slowness";
    EXPECT_TRUE(more_turns_are_needed(busy));
}

}  // namespace
}  // namespace shardstone::validation
