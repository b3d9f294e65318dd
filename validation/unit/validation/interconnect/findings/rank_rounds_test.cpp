// SPDX-License-Identifier: BSD-3-Clause
// Every pair of nodes and of ranks inside nodes is in one round, and no rank twice.
#include "validation/interconnect/rank_rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "benchmarks/interconnect/rails.hpp"

namespace shardstone::validation {
namespace {

using benchmarks::LinkRound;
using collectives::Topology;

/// All pairs, each once, whatever their order.
std::set<std::pair<int, int>> pairs_of(const std::vector<LinkRound>& rounds) {
    std::set<std::pair<int, int>> pairs;
    for (const LinkRound& round : rounds) {
        std::set<int> ranks;
        for (const auto& pair : round) {
            EXPECT_TRUE(ranks.insert(pair.first).second && ranks.insert(pair.second).second)
                << "a rank is in two pairs of a round";
            const bool is_new = pairs.insert(std::minmax(pair.first, pair.second)).second;
            EXPECT_TRUE(is_new) << "twice: " << pair.first << " " << pair.second;
        }
    }
    return pairs;
}

TEST(RankRounds, BetweenNodesFirstRanksMeetOnceEach) {
    for (int nodes = 1; nodes <= 9; ++nodes) {
        const auto topology = Topology::blocked(nodes * 3, 3);
        std::set<std::pair<int, int>> wanted;
        for (int one = 0; one < nodes; ++one) {
            for (int other = 0; other < one; ++other) wanted.insert({3 * other, 3 * one});
        }
        EXPECT_EQ(pairs_of(rounds_between_nodes(topology, 1)), wanted);
    }
}

// Of six ranks on a node and three NICs, ranks 0, 2 and 4 are the first of theirs; of five ranks,
// 0, 2 and 4 as well.
TEST(RankRounds, NicsOfANodeMeetTheSameNicOfTheOthers) {
    for (const int ranks_on_node : {6, 5}) {
        const auto topology = Topology::blocked(4 * ranks_on_node, ranks_on_node);
        std::set<std::pair<int, int>> wanted;
        for (const int lane : {0, 2, 4}) {
            for (int one = 0; one < 4; ++one) {
                for (int other = 0; other < one; ++other) {
                    wanted.insert({ranks_on_node * other + lane, ranks_on_node * one + lane});
                }
            }
        }
        const auto rounds = rounds_between_nodes(topology, 3);
        EXPECT_EQ(pairs_of(rounds), wanted);
        EXPECT_EQ(rounds.size(), 3u) << "all NICs at once";
    }
    EXPECT_EQ(benchmarks::rail_of(Topology::blocked(12, 6), 9, 3), 1);
    EXPECT_EQ(benchmarks::rail_of(Topology::blocked(10, 5), 9, 3), 2);
}

TEST(RankRounds, InsideNodesAllRanksMeetOnceEach) {
    for (const int ranks_per_node : {1, 2, 3, 5, 8}) {
        const auto topology = Topology::blocked(11, ranks_per_node);
        std::set<std::pair<int, int>> wanted;
        for (int one = 0; one < 11; ++one) {
            for (int other = 0; other < one; ++other) {
                if (topology.same_node(one, other)) wanted.insert({other, one});
            }
        }
        EXPECT_EQ(pairs_of(rounds_inside_nodes(topology, false)), wanted);
        const auto singly = rounds_inside_nodes(topology, true);
        EXPECT_EQ(pairs_of(singly), wanted);
        for (const LinkRound& round : singly) {
            std::set<int> nodes;
            for (const auto& pair : round) {
                EXPECT_TRUE(nodes.insert(topology.node_of(pair.first)).second)
                    << "two pairs of a node at once";
            }
        }
    }
}

TEST(RankRounds, OneByOneKeepsAllPairs) {
    const auto rounds = rounds_between_nodes(Topology::blocked(6, 1), 1);
    const auto singly = one_by_one(rounds);
    EXPECT_EQ(singly.size(), 15u);
    EXPECT_EQ(pairs_of(singly), pairs_of(rounds));
}

}  // namespace
}  // namespace shardstone::validation
