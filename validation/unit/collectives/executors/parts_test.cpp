// SPDX-License-Identifier: BSD-3-Clause
// The parts below the executor that need no ranks: topology, blocks, plan, reductions, exact
// inputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "collectives/executors/plan.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/schedule/compose.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

TEST(TopologyOf, NodesAreNumberedByTheirLowestRank) {
    const std::vector<int> labels{7, 3, 7, 9, 3, 7};
    const Topology topology(labels);
    EXPECT_EQ(topology.nodes(), 3);
    EXPECT_EQ(topology.node_of(4), 1);
    EXPECT_EQ(topology.lane_of(5), 2);
    EXPECT_TRUE(topology.same_node(0, 5));
    EXPECT_EQ(topology.smallest_node(), 1);
    EXPECT_EQ(topology.largest_node(), 3);
    EXPECT_EQ(topology.description(), "3 nodes of 1 to 3 ranks");
    EXPECT_EQ(Topology::blocked(8, 4).as_declared().description(), "2 nodes of 4 ranks (declared)");
    EXPECT_THROW(Topology::blocked(8, 0), Error);
}

TEST(BlockPartitionOf, CoversEveryElementOnceInEvenWholeGrains) {
    for (const std::int64_t grain : {1, 8, 16}) {
        for (const std::int64_t count : {0, 1, 15, 16, 17, 1000, 100003}) {
            for (const int blocks : {1, 2, 3, 7, 64}) {
                const BlockPartition partition(count, blocks, grain);
                EXPECT_EQ(partition.begin(0), 0);
                EXPECT_EQ(partition.begin(blocks), count);
                for (int block = 0; block < blocks; ++block) {
                    const std::int64_t length = partition.elements({block, 1});
                    EXPECT_GE(length, 0);
                    EXPECT_LE(length, partition.elements({0, 1}));
                    // A grain shorter for want of grains, another for the ragged end.
                    EXPECT_GE(length, partition.elements({0, 1}) - 2 * grain + 1);
                }
            }
        }
    }
}

/// Of rank 3 or less of up to 8 in an all-reduce.
TransferPlan plan_of(const RankProgram& program, const VectorSpec& vector, std::int64_t limit) {
    const BlockLayout layout({vector, 0, {}}, Sharing::whole, program.channels, 8);
    return make_plan(program, layout, 0, vector.element_bytes(), limit);
}

TEST(Plan, ALineOfDataTravelsInOnePieceAndNothingNotAtAll) {
    const auto ring = find_algorithm("all_reduce", "ring").program(Topology::one_node(8), 3);
    EXPECT_EQ(plan_of(ring, {0}, 1 << 30).transfers.size(), 0U);
    EXPECT_EQ(plan_of(ring, {0}, 1 << 30).channels.size(), 0U);
    // One block only, which comes by and goes on once in each of the two rounds.
    EXPECT_EQ(plan_of(ring, {16, ElementType::fp32}, 1 << 30).transfers.size(), 4U);
    EXPECT_EQ(plan_of(ring, {17, ElementType::fp32}, 1 << 30).transfers.size(), 8U);
}

TEST(Plan, MessagesBeyondTheLimitAreSplitWithoutGapOrOverlap) {
    constexpr std::int64_t count = (std::int64_t{5} << 30) + 3;  // 10 GiB of bf16
    constexpr std::int64_t limit = 1 << 30;
    const auto tree =
        find_algorithm("all_reduce", "binomial_tree").program(Topology::one_node(2), 0);
    const TransferPlan plan = plan_of(tree, {count, ElementType::bf16}, limit);
    for (const TransferKind kind : {TransferKind::receive_reduce, TransferKind::send}) {
        std::int64_t next = 0;
        for (const Transfer& transfer : plan.transfers) {
            if (transfer.kind != kind) continue;
            EXPECT_EQ(transfer.offset_bytes, next);
            EXPECT_LE(transfer.size_bytes, limit);
            next += transfer.size_bytes;
        }
        EXPECT_EQ(next, 2 * count);
    }
}

TEST(Plan, OnlyAReduceIntoWhatIsBeingSentWaitsForTheSends) {
    const auto waits = [](const char* name) {
        const auto program = find_algorithm("all_reduce", name).program(Topology::one_node(8), 3);
        const TransferPlan plan = plan_of(program, {4096, ElementType::fp32}, 1 << 30);
        return std::ranges::any_of(plan.transfers, &Transfer::after_sends);
    };
    EXPECT_TRUE(waits("recursive_doubling"));
    EXPECT_FALSE(waits("ring"));
    EXPECT_FALSE(waits("rabenseifner"));
}

/// A reduction of bf16 or fp16 rounds once: the FP32 sum of two narrow numbers is exact or rounded
/// so finely that rounding it again is as good as rounding the exact sum (Figueroa 1995: 24 bits
/// are at least 2 p + 2 for p = 8 and 11), so that the exact sum in FP64, rounded, is the measure.
template <class T>
void expect_rounded_once() {
    const RandomStream stream(3, "reduction");
    std::vector<T> mine, theirs;
    std::vector<float> exact;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        mine.emplace_back(static_cast<float>(stream.normal(2 * i)));
        theirs.emplace_back(static_cast<float>(stream.normal(2 * i + 1)));
        exact.push_back(static_cast<float>(mine.back()) + static_cast<float>(theirs.back()));
    }
    reduce_function(element_traits<T>::type, Reduction::sum)(mine.data(), theirs.data(), 5000);
    for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_EQ(mine[i].bits, T(exact[i]).bits) << i;
}

TEST(Reduce, NarrowTypesRoundOnce) {
    expect_rounded_once<bf16>();
    expect_rounded_once<fp16>();
}

}  // namespace
}  // namespace shardstone::validation
