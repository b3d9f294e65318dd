// SPDX-License-Identifier: BSD-3-Clause
// The additions on the longest path, found from the messages, against what is known of schedules.
#include "benchmarks/collectives/accuracy/depth.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "benchmarks/collectives/accuracy/playback.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;
using namespace shardstone::collectives;

int depth(const char* operation, const char* name, int size, int root = 0) {
    return summation_depth(find_algorithm(operation, name), Topology::one_node(size), root);
}

int log2_up(int size) {
    return std::bit_width(static_cast<unsigned>(size - 1));
}

TEST(Depth, OfChainsIsAllRanksButOne) {
    for (const int size : {1, 2, 3, 5, 8, 17}) {
        EXPECT_EQ(depth("all_reduce", "ring", size), size - 1);
        EXPECT_EQ(depth("reduce_scatter", "ring", size), size - 1);
        EXPECT_EQ(depth("reduce", "chain", size, size / 2), size - 1);
    }
}

TEST(Depth, OfTreesIsTheirHeight) {
    for (const int size : {2, 4, 8, 64}) {
        EXPECT_EQ(depth("all_reduce", "recursive_doubling", size), log2_up(size));
        EXPECT_EQ(depth("all_reduce", "rabenseifner", size), log2_up(size));
        EXPECT_EQ(depth("reduce_scatter", "recursive_halving", size), log2_up(size));
        EXPECT_EQ(depth("reduce", "binomial_tree", size, 1), log2_up(size));
    }
}

TEST(Depth, IsNeverMoreThanAllRanksButOneNorLessThanTheLogarithm) {
    for (const char* operation : {"all_reduce", "reduce_scatter", "reduce"}) {
        for (const auto& name : algorithms_for(operation)) {
            for (const int size : {1, 2, 3, 5, 8, 13}) {
                const int found = depth(operation, name.c_str(), size);
                EXPECT_GE(found, log2_up(size)) << operation << " " << name << " on " << size;
                EXPECT_LE(found, size - 1) << operation << " " << name << " on " << size;
            }
        }
    }
}

TEST(Depth, OfAChainMadeDeeperIsSeen) {
    Schedule schedule = make_schedule(find_algorithm("reduce", "chain"), Topology::one_node(3));
    const int before = additions_on_longest_path(schedule);
    // Rank 2 gives rank 1 its vector once more, after all else; rank 1 passes it on.
    RankProgramBuilder last(1);
    last.send(8, 1, {0, 1});
    RankProgramBuilder middle(1);
    middle.receive_reduce(8, 2, {0, 1});
    middle.send(9, 0, {0, 1});
    RankProgramBuilder first(1);
    first.receive_reduce(9, 1, {0, 1});
    const auto append = [&](std::size_t rank, const RankProgram& more) {
        auto& actions = schedule.programs[rank].actions;
        actions.insert(actions.end(), more.actions.begin(), more.actions.end());
    };
    append(2, last.build());
    append(1, middle.build());
    append(0, first.build());
    EXPECT_EQ(additions_on_longest_path(schedule), before + 1);
}

TEST(Depth, NeedsASenderForEveryMessage) {
    Schedule schedule = make_schedule(find_algorithm("all_reduce", "ring"), Topology::one_node(3));
    schedule.programs[1].actions.clear();
    EXPECT_THROW(additions_on_longest_path(schedule), Error);
}

}  // namespace
}  // namespace shardstone::validation
