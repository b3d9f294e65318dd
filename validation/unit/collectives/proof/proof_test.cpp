// SPDX-License-Identifier: BSD-3-Clause
// Every registered algorithm of every operation, proved on every number of ranks up to 64, on
// uneven nodes and with any root, and held to the steps and the volume that its file states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string_view>

#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/layout.hpp"
#include "collectives/proof/checker.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr int most_ranks = 64;
constexpr double time_limit_s = 8.0;

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

/// All with a schedule of their own; what runs another's schedule elsewhere shows nothing new.
std::vector<Algorithm> scheduled_algorithms() {
    std::vector<Algorithm> all;
    for (const auto& operation : operations()) {
        for (const auto& name : algorithms_for(operation)) {
            all.push_back(find_algorithm(operation, name));
        }
    }
    for (const char* inner : {"binomial_tree", "double_binary_tree", "rabenseifner"}) {
        for (const char* outer : {"ring", "recursive_doubling", "double_binary_tree"}) {
            all.push_back(
                find_algorithm("all_reduce", std::string("hierarchical:") + inner + "/" + outer));
        }
    }
    for (const char* name : {"k_nomial:3", "k_nomial:64", "multi_ring:7"}) {
        all.push_back(find_algorithm("all_reduce", name));
    }
    std::erase_if(all, [](const auto& one) { return !one.has_plain_messages(); });
    return all;
}

/// The topologies that make a difference to an algorithm: all shapes, or the cheap one.
std::vector<Topology> topologies_for(const Algorithm& algorithm, int size) {
    if (algorithm.name.find("hierarchical") != std::string::npos) return shapes(size);
    return {Topology::one_node(size)};
}

/// Calls `visit(algorithm, topology)` for all of them.
template <class Visit>
void for_all(Visit&& visit) {
    for (const auto& algorithm : scheduled_algorithms()) {
        for (int size = 1; size <= most_ranks; ++size) {
            for (const auto& topology : topologies_for(algorithm, size)) visit(algorithm, topology);
        }
    }
}

std::string name_of(const Algorithm& algorithm, const Topology& topology) {
    return algorithm.operation->name + " " + algorithm.name + " on " +
           std::to_string(topology.size()) + " ranks, " + topology.description();
}

TEST(Proof, EveryAlgorithmOnEveryNumberOfRanks) {
    const double start_s = processor_time_s();
    int proofs = 0;
    for_all([&](const Algorithm& algorithm, const Topology& topology) {
        const auto fault = check_schedule(make_schedule(algorithm, topology));
        EXPECT_FALSE(fault) << name_of(algorithm, topology) << ": " << fault->what;
        ++proofs;
    });
    const double time_s = processor_time_s() - start_s;
    std::printf("%d schedules on 1 to %d ranks proved in %.2f s\n", proofs, most_ranks, time_s);
    if (std::string_view(SHARDSTONE_BUILD_TYPE) == "Release") {
        EXPECT_LT(time_s, time_limit_s);
    }
}

TEST(Proof, SegmentsKeepASchedulesProof) {
    for (const auto& algorithm : scheduled_algorithms()) {
        for (const int size : {1, 2, 3, 5, 8, 13}) {
            const Topology topology = Topology::blocked(size, 3);
            const auto fault = check_schedule(make_schedule(algorithm, topology, /*segments=*/3));
            EXPECT_FALSE(fault) << name_of(algorithm, topology) << ": " << fault->what;
        }
    }
}

TEST(Proof, AnyRankCanBeTheRoot) {
    for (const auto& algorithm : scheduled_algorithms()) {
        if (!algorithm.operation->rooted) continue;
        for (const int size : {2, 3, 5, 8, 13}) {
            const Topology topology = Topology::blocked(size, 3);
            for (int root = 0; root < size; ++root) {
                const auto fault = check_schedule(make_schedule(algorithm, topology, 2, root));
                EXPECT_FALSE(fault)
                    << name_of(algorithm, topology) << ", root " << root << ": " << fault->what;
            }
        }
    }
}

TEST(Proof, MoreRanksThanOneWordOfTheSets) {
    for (const auto& algorithm : scheduled_algorithms()) {
        const Topology topology = Topology::blocked(130, 8);
        const auto fault = check_schedule(make_schedule(algorithm, topology));
        EXPECT_FALSE(fault) << name_of(algorithm, topology) << ": " << fault->what;
    }
}

bool has_equal_nodes(const Topology& topology) {
    return topology.smallest_node() == topology.largest_node();
}

/// Elements of a vector that all blocks divide evenly, on whole cache lines.
CollectiveSpec even_vector(const RankProgram& program, int size) {
    const std::int64_t lines = std::int64_t{program.blocks()} * size;
    return {{lines * 16, ElementType::fp32, Reduction::sum}, 0, {}};
}

TEST(Stated, StepsAndVolumeAreThoseOfTheSchedule) {
    for_all([](const Algorithm& algorithm, const Topology& topology) {
        SCOPED_TRACE(name_of(algorithm, topology));
        const Schedule schedule = make_schedule(algorithm, topology);
        const RankProgram& first = schedule.programs.front();
        const CollectiveSpec spec = even_vector(first, topology.size());
        const BlockLayout layout(spec, algorithm.operation->sharing, first.channels,
                                 topology.size());
        int steps = 0;
        std::int64_t most_elements = 0;
        for (int rank = 0; rank < topology.size(); ++rank) {
            const RankProgram& program = schedule.programs[static_cast<std::size_t>(rank)];
            steps = std::max(steps, steps_of(program));
            most_elements = std::max(most_elements, elements_sent(program, layout, rank));
        }
        EXPECT_EQ(steps, algorithm.steps(topology));
        // A few sums and quotients of small integers: exact to some units of roundoff.
        const auto count = static_cast<double>(spec.vector.count);
        const double slack = 1e-12 * count;
        const double stated = algorithm.volume(topology) * count;
        EXPECT_LE(static_cast<double>(most_elements), stated + slack);
        if (has_equal_nodes(topology)) {
            EXPECT_NEAR(static_cast<double>(most_elements), stated, slack);
        }
    });
}

}  // namespace
}  // namespace shardstone::validation
