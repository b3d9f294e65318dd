// SPDX-License-Identifier: BSD-3-Clause
// Every registered algorithm, proved on every number of ranks up to 64 and on uneven nodes, and
// held to the steps and the volume that its file states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string_view>

#include "collectives/all_reduce/registry.hpp"
#include "collectives/schedule/checker.hpp"
#include "collectives/schedule/compose.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr int most_ranks = 64;
constexpr double time_limit_s = 2.0;

/// Processor time: what else the machine is busy with does not count.
double processor_time_s() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// One node, equal nodes, uneven nodes (the last cut short), and ranks dealt out in turn.
std::vector<Topology> shapes(int size) {
    std::vector<Topology> all{Topology::one_node(size)};
    for (const int per_node : {1, 2, 3, 4, 8}) {
        if (per_node < size) all.push_back(Topology::blocked(size, per_node));
    }
    std::vector<int> dealt;
    for (int rank = 0; rank < size; ++rank) dealt.push_back(rank * rank % 5 % 3);
    if (size >= 3) all.emplace_back(dealt);
    return all;
}

std::vector<std::string> scheduled_algorithms() {
    std::vector<std::string> names = all_reduce_algorithms();
    for (const char* inner : {"binomial_tree", "double_binary_tree", "rabenseifner"}) {
        for (const char* outer : {"ring", "recursive_doubling", "double_binary_tree"}) {
            names.push_back(std::string("hierarchical:") + inner + "/" + outer);
        }
    }
    std::erase_if(names, [](const auto& name) { return !find_all_reduce(name).has_schedule(); });
    return names;
}

/// The topologies that make a difference to an algorithm.
std::vector<Topology> topologies_for(const std::string& name, int size) {
    if (name.starts_with("hierarchical")) return shapes(size);
    return {Topology::one_node(size)};
}

/// Calls `visit(algorithm, topology)` for all of them.
template <class Visit>
void for_all(Visit&& visit) {
    for (const auto& name : scheduled_algorithms()) {
        const auto algorithm = find_all_reduce(name);
        for (int size = 1; size <= most_ranks; ++size) {
            for (const auto& topology : topologies_for(name, size)) visit(algorithm, topology);
        }
    }
}

TEST(Proof, EveryAlgorithmOnEveryNumberOfRanks) {
    const double start_s = processor_time_s();
    int proofs = 0;
    for_all([&](const AllReduceAlgorithm& algorithm, const Topology& topology) {
        const auto fault = check_all_reduce(all_reduce_schedule(algorithm, topology));
        EXPECT_FALSE(fault) << algorithm.name << " on " << topology.size() << " ranks, "
                            << topology.description() << ": " << fault->what;
        ++proofs;
    });
    const double time_s = processor_time_s() - start_s;
    std::printf("%d schedules on 1 to %d ranks proved in %.2f s\n", proofs, most_ranks, time_s);
    if (std::string_view(SHARDSTONE_BUILD_TYPE) == "Release") {
        EXPECT_LT(time_s, time_limit_s);
    }
}

TEST(Proof, SegmentsKeepASchedulesProof) {
    for (const auto& name : scheduled_algorithms()) {
        for (const int size : {1, 2, 3, 5, 8, 13}) {
            const auto fault = check_all_reduce(all_reduce_schedule(
                find_all_reduce(name), Topology::blocked(size, 3), /*segments=*/3));
            EXPECT_FALSE(fault) << name << " on " << size << " ranks: " << fault->what;
        }
    }
}

TEST(Proof, MoreRanksThanOneWordOfTheSets) {
    for (const auto& name : scheduled_algorithms()) {
        const auto fault =
            check_all_reduce(all_reduce_schedule(find_all_reduce(name), Topology::blocked(130, 8)));
        EXPECT_FALSE(fault) << name << ": " << fault->what;
    }
}

bool has_equal_nodes(const Topology& topology) {
    return topology.smallest_node() == topology.largest_node();
}

TEST(Stated, StepsAndVolumeAreThoseOfTheSchedule) {
    for_all([](const AllReduceAlgorithm& algorithm, const Topology& topology) {
        SCOPED_TRACE(testing::Message() << algorithm.name << " on " << topology.size() << " ranks, "
                                        << topology.description());
        const Schedule schedule = all_reduce_schedule(algorithm, topology);
        int steps = 0;
        std::int64_t most_blocks = 0;
        const int blocks = schedule.programs.front().blocks();
        for (const RankProgram& program : schedule.programs) {
            steps = std::max(steps, steps_of(program));
            most_blocks =
                std::max(most_blocks, elements_sent(program, BlockPartition(blocks, blocks, 1)));
        }
        EXPECT_EQ(steps, algorithm.steps(topology));
        // A few sums and quotients of small integers: exact to some units of roundoff.
        const double slack = 1e-12 * blocks;
        const double stated = algorithm.volume(topology) * blocks;
        EXPECT_LE(static_cast<double>(most_blocks), stated + slack);
        if (has_equal_nodes(topology)) {
            EXPECT_NEAR(static_cast<double>(most_blocks), stated, slack);
        }
    });
}

}  // namespace
}  // namespace shardstone::validation
