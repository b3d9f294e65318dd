// SPDX-License-Identifier: BSD-3-Clause
// Ranks with less CPU time are suspected, and hardly ever one without.
#include "validation/interconnect/slow_ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

using Turns = std::vector<std::vector<double>>;

/// Ranks that differ by `spread` (standard deviation of the logarithm), turns by `noise`; one turn
/// in ten takes up to twice as long.
Turns simulated(std::uint64_t trial, double spread, double noise, int ranks = 8) {
    const RandomStream random(trial, "turns");
    std::uint64_t draw = 0;
    Turns all;
    for (int rank = 0; rank < ranks; ++rank) {
        const double own = 1e-3 * std::exp(spread * random.normal(draw++));
        auto& turns = all.emplace_back();
        for (int turn = 0; turn < 7; ++turn) {
            const double delay = random.uniform(draw++) < 0.1 ? 1.0 + random.uniform(draw++) : 1.0;
            turns.push_back(own * std::exp(noise * random.normal(draw++)) * delay);
        }
    }
    return all;
}

int suspects(const std::vector<RankJudgement>& judgements) {
    int count = 0;
    for (const auto& one : judgements) count += one.suspected ? 1 : 0;
    return count;
}

TEST(SlowRanks, HealthyOnesAreLeftAlone) {
    int alarms = 0;
    for (std::uint64_t trial = 0; trial < 1000; ++trial) {
        alarms += suspects(judge_ranks(simulated(trial, 0.01, 0.02))) > 0 ? 1 : 0;
    }
    EXPECT_LE(alarms, 10) << "1 in 100 is the most that the odds allow for";
}

TEST(SlowRanks, OneWithAFifthLessCpuTimeIsSuspectedAloneAndRightly) {
    int right = 0;
    for (std::uint64_t trial = 0; trial < 500; ++trial) {
        Turns turns = simulated(trial, 0.01, 0.02);
        const std::size_t slow = trial % turns.size();
        for (double& time_s : turns[slow]) time_s /= 0.8;
        const auto judgements = judge_ranks(turns);
        right += judgements[slow].suspected && suspects(judgements) == 1 ? 1 : 0;
    }
    EXPECT_GE(right, 490) << "49 of 50";
}

TEST(SlowRanks, ADisturbedTurnIsNoSlowRank) {
    Turns turns(6, {1e-3, 1.001e-3, 1.002e-3, 0.999e-3, 1e-3});
    turns[4][2] = 9e-3;
    const auto judgements = judge_ranks(turns);
    EXPECT_EQ(suspects(judgements), 0);
    EXPECT_NEAR(judgements[4].factor, 1.0, 0.01);
}

TEST(SlowRanks, TimeFactorAndOddsAreThoseOfTheRank) {
    Turns turns(5, {2e-3, 2e-3, 2e-3, 2e-3, 2e-3});
    turns[1] = {3e-3, 3e-3, 3e-3, 3e-3, 3e-3};
    const auto judgements = judge_ranks(turns);
    EXPECT_DOUBLE_EQ(judgements[1].time_s, 3e-3);
    EXPECT_NEAR(judgements[1].factor, 1.5, 1e-12);
    EXPECT_NEAR(judgements[0].factor, 1.0, 1e-12);
    EXPECT_GT(judgements[1].log10_odds, 3.0);
    EXPECT_LT(judgements[0].log10_odds, 0.0);
}

TEST(SlowRanks, HowMuchRanksDifferAnywayCounts) {
    Turns turns;
    for (const double time_s : {1.0, 1.3, 0.8, 1.1, 0.7, 1.2, 0.9, 1.25}) {
        turns.push_back(std::vector<double>(5, 1e-3 * time_s));
    }
    EXPECT_EQ(suspects(judge_ranks(turns)), 0);
}

TEST(SlowRanks, OfTwoNobodyIsSuspected) {
    EXPECT_EQ(suspects(judge_ranks(Turns{{1e-3, 1e-3, 1e-3}, {2e-3, 2e-3, 2e-3}})), 0);
}

}  // namespace
}  // namespace shardstone::validation
