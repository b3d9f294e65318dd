// SPDX-License-Identifier: BSD-3-Clause
// The shapes that algorithms share, and what algorithms made from others refuse: trees against
// counting, pods of nodes, programs backwards, level names; and what segments and levels are for.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "collectives/operation/algorithm.hpp"
#include "collectives/proof/checker.hpp"
#include "collectives/schedule/levels.hpp"
#include "collectives/schedule/trees.hpp"
#include "collectives/simulation/cost_model.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

TEST(KNomialTreeOf, DegreeAndBranchesAreThoseCounted) {
    for (const int radix : {2, 3, 4, 7, 64}) {
        for (int size = 1; size <= 70; ++size) {
            const KNomialTree tree(size, radix);
            int degree = 0;
            int largest = 0;
            for (int rank = 1; rank < size; ++rank) {
                const RankProgram program = tree.gather(rank);
                const BlockTransfer& up = program.actions.back();
                ASSERT_EQ(up.kind, TransferKind::send);
                EXPECT_LT(up.peer, rank);
                if (up.peer != 0) continue;
                ++degree;
                largest = std::max(largest, up.blocks.count);
            }
            EXPECT_EQ(tree.root_degree(), degree) << size << " ranks, radix " << radix;
            EXPECT_EQ(tree.largest_branch(), largest) << size << " ranks, radix " << radix;
        }
    }
    EXPECT_EQ(KNomialTree::flat(9).levels(), 1);
    EXPECT_EQ(KNomialTree::flat(1).levels(), 0);
}

TEST(Backwards, TwiceIsTheSameMessages) {
    const auto ring = find_algorithm("all_gather", "ring");
    const Topology topology = Topology::one_node(5);
    const RankProgram there = ring.program(topology, 2);
    const RankProgram back = backwards(there, 4, TransferKind::receive_reduce);
    EXPECT_EQ(std::ranges::count(back.actions, TransferKind::receive_reduce, &BlockTransfer::kind),
              4);
    EXPECT_EQ(backwards(back, 4, TransferKind::receive_replace).actions.size(), 8U);
    for (const BlockTransfer& action : backwards(back, 4, TransferKind::receive_replace).actions) {
        EXPECT_NE(std::ranges::find(there.actions, action), there.actions.end());
    }
}

TEST(Backwards, AnAllGatherWithoutAdditionIsNoReduceScatter) {
    // The planted bug: what arrives replaces what is there in place of being added to it.
    Schedule schedule{&find_operation("reduce_scatter"), 0, Topology::one_node(5), {}};
    const auto gather = find_algorithm("all_gather", "bruck");
    for (const TransferKind receive :
         {TransferKind::receive_replace, TransferKind::receive_reduce}) {
        schedule.programs.clear();
        for (int rank = 0; rank < 5; ++rank) {
            schedule.programs.push_back(
                backwards(gather.program(schedule.topology, rank), 3, receive));
        }
        EXPECT_EQ(check_schedule(schedule).has_value(), receive == TransferKind::receive_replace);
    }
}

TEST(Wrapped, ARangeThatGoesRoundTheEndIsTwo) {
    EXPECT_EQ(wrapped(7, 3, 5), (std::vector<BlockRange>{{2, 3}}));
    EXPECT_EQ(wrapped(3, 4, 5), (std::vector<BlockRange>{{3, 2}, {0, 2}}));
}

TEST(LevelsOf, PodsAreEqual) {
    const auto pods = [](int nodes) { return Levels(Topology::blocked(2 * nodes, 2)).between; };
    EXPECT_EQ(pods(16).description(), "4 nodes of 4 ranks");
    EXPECT_EQ(pods(12).description(), "4 nodes of 3 ranks");
    EXPECT_EQ(pods(7).description(), "7 nodes of 1 rank");
    EXPECT_EQ(pods(1).description(), "1 node of 1 rank");
}

TEST(Levels, ThreeMatchTwoInBytesBetweenNodes) {
    // 16 nodes of 4: two rings of 4 nodes each in place of one ring of 16.
    const Topology topology = Topology::blocked(64, 4);
    const auto two = find_algorithm("all_reduce", "hierarchical:ring/ring");
    const auto three = find_algorithm("all_reduce", "hierarchical:ring/ring/ring");
    EXPECT_EQ(two.steps(topology), 2 * 3 + 2 * 15);
    EXPECT_EQ(three.steps(topology), 2 * 3 + 2 * 3 + 2 * 3);
    EXPECT_NEAR(three.volume(topology), two.volume(topology), 1e-12);
}

double predicted_s(const std::string& name, int segments) {
    constexpr std::int64_t bytes = 64 << 20;
    constexpr CostParameters costs{{2e-6, 1e-11}, {7e-6, 4e-11}, 3e-11};
    const Topology topology = Topology::blocked(32, 4);
    return predict_time_s(make_schedule(find_algorithm("all_reduce", name), topology, segments),
                          {{bytes / 4, ElementType::fp32, Reduction::sum}, 0, {}}, costs);
}

TEST(Segments, LetTheLevelsOfAHierarchyOverlap) {
    for (const char* name : {"hierarchical:ring/rabenseifner", "hierarchical_leaders:linear/ring",
                             "hierarchical_leaders:binomial_tree/ring"}) {
        const double whole_s = predicted_s(name, 1);
        const double cut_s = predicted_s(name, 32);
        std::printf("%s: %.3f ms whole, %.3f ms in 32 segments\n", name, whole_s * 1e3,
                    cut_s * 1e3);
        EXPECT_LT(cut_s, 0.9 * whole_s) << name;
    }
    EXPECT_EQ(segments_for(find_algorithm("all_reduce", "segmented:hierarchical:ring/rabenseifner"),
                           4 << 20),
              8);
}

struct Refusal {
    const char* operation;
    const char* name;
    const char* words;
};

TEST(Refused, ArgumentsThatDoNotFit) {
    for (const auto& [operation, name, words] : {
             Refusal{"all_reduce", "k_nomial:1", "k_nomial:1: give a radix from 2 to 1024"},
             Refusal{"gather", "k_nomial:4x", "k_nomial:4x: give a radix"},
             Refusal{"all_reduce", "multi_ring:0", "a number of rings from 1 to 64"},
             Refusal{"all_gather", "hierarchical:ring", "name two levels"},
             Refusal{"all_gather", "hierarchical:ring/mpi", "mpi has no schedule to nest"},
             Refusal{"broadcast", "hierarchical:scatter_all_gather:ring/chain",
                     "cuts the vector into blocks; use a tree or a chain"},
             Refusal{"broadcast", "scatter_all_gather:mpi", "mpi has no schedule"},
             Refusal{"reduce", "segmented:mpi", "mpi has no schedule"},
             Refusal{"all_reduce", "hierarchical_leaders:ring/ring", "unknown reduce algorithm"},
         }) {
        try {
            find_algorithm(operation, name);
            ADD_FAILURE() << operation << " " << name << " was accepted";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
