// SPDX-License-Identifier: BSD-3-Clause
// Every pair once, nobody twice at a time, in the fewest rounds.
#include "validation/interconnect/round_robin.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace shardstone::validation {

namespace {

/// What is wrong with a schedule for `count` ends; empty if nothing is.
std::string complaint_about(const std::vector<RoundOfPairs>& rounds, int count) {
    std::set<std::pair<int, int>> seen;
    for (const auto& round : rounds) {
        std::set<int> busy;
        for (const auto& [first, second] : round) {
            if (first < 0 || first >= second || second >= count) return "no pair of two ends";
            if (!busy.insert(first).second || !busy.insert(second).second) return "an end twice";
            if (!seen.emplace(first, second).second) return "a pair twice";
        }
        if (static_cast<int>(round.size()) != count / 2) return "idle ends";
    }
    const auto pairs = static_cast<std::size_t>(count) * static_cast<std::size_t>(count - 1) / 2;
    return seen.size() == pairs ? "" : "a pair is missing";
}

}  // namespace

TEST(RoundRobin, TestsEveryPairOnceInTheFewestRounds) {
    EXPECT_TRUE(round_robin(0).empty());
    EXPECT_TRUE(round_robin(1).empty());
    for (int count = 2; count <= 64; ++count) {
        const auto rounds = round_robin(count);
        EXPECT_EQ(complaint_about(rounds, count), "") << count << " ends";
        EXPECT_EQ(static_cast<int>(rounds.size()), count - 1 + count % 2) << count << " ends";
    }
}

TEST(RoundRobin, ABrokenScheduleIsSeen) {
    auto rounds = round_robin(6);
    std::swap(rounds[0][0], rounds[1][1]);
    EXPECT_EQ(complaint_about(rounds, 6), "an end twice");
    rounds = round_robin(6);
    rounds[4] = rounds[3];
    EXPECT_EQ(complaint_about(rounds, 6), "a pair twice");
    rounds = round_robin(7);
    rounds.pop_back();
    EXPECT_EQ(complaint_about(rounds, 7), "a pair is missing");
    rounds = round_robin(5);
    rounds[2].pop_back();
    EXPECT_EQ(complaint_about(rounds, 5), "idle ends");
}

}  // namespace shardstone::validation
