// SPDX-License-Identifier: BSD-3-Clause
// Schedules are played on a described cluster, one point for each algorithm, rank count and size.
#include "benchmarks/collectives/simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "benchmarks/collectives/size_range.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/schedule/compose.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Algorithm;
using collectives::ClusterDescription;
using collectives::StepLists;

std::vector<Algorithm> algorithms_of(const SimulationOptions& options,
                                     const collectives::Operation& operation) {
    using collectives::find_algorithm;
    std::vector<Algorithm> algorithms;
    for (const std::string& word : options.algorithms) {
        if (word == "all") {
            for (const std::string& name : collectives::algorithms_for(operation.name)) {
                Algorithm algorithm = find_algorithm(operation, name);
                if (algorithm.has_plain_messages()) algorithms.push_back(std::move(algorithm));
            }
            continue;
        }
        Algorithm algorithm = find_algorithm(operation, word);
        require(algorithm.has_plain_messages(), [&] {
            return fmt::format(
                "--algorithm {}: has no schedule of messages to simulate; give all, or one with "
                "steps in `shardstone collectives --list`",
                algorithm.name);
        });
        algorithms.push_back(std::move(algorithm));
    }
    require(!algorithms.empty(),
            "--algorithm names none: give all, or a list such as ring,rabenseifner");
    return algorithms;
}

int rank_count(const std::string& word, const ClusterDescription& cluster) {
    int ranks = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), ranks);
    const bool understood = status == std::errc{} && end == word.data() + word.size();
    require(understood && ranks >= 1 && ranks <= cluster.ranks(), [&] {
        return fmt::format("--ranks {}: give whole numbers from 1 to the {} ranks of cluster {}",
                           word, cluster.ranks(), cluster.name);
    });
    return ranks;
}

std::vector<int> ranks_of(const SimulationOptions& options, const ClusterDescription& cluster) {
    constexpr std::size_t most_counts = 64;
    require(options.ranks.size() <= most_counts, [&] {
        return fmt::format("--ranks: {} rank counts: give at most {}", options.ranks.size(),
                           most_counts);
    });
    std::vector<int> ranks;
    for (const std::string& word : options.ranks) ranks.push_back(rank_count(word, cluster));
    if (ranks.empty()) ranks.push_back(cluster.ranks());
    return ranks;
}

/// Fails at once where generating all programs would take minutes before it is seen. The last
/// rank is seldom a root, which alone may have much to do.
void require_playable(const Algorithm& algorithm, const collectives::Topology& topology) {
    constexpr std::size_t most_actions = 2 * StepLists::most_ends;
    const std::size_t actions = algorithm.program(topology, topology.size() - 1).actions.size();
    require(actions <= most_actions / static_cast<std::size_t>(topology.size()), [&] {
        return fmt::format(
            "{} on {} ranks: about {:.1e} messages are too many to simulate: give fewer ranks or "
            "an algorithm of fewer steps",
            algorithm.name, topology.size(), static_cast<double>(actions) / 2 * topology.size());
    });
}

void count_bytes(const StepLists& lists, SimulatedPoint& point) {
    const std::uint32_t steps = lists.first_step(lists.processes());
    const std::uint32_t ends = lists.step(steps).first_end;
    for (std::uint32_t i = 0; i < ends; ++i) {
        const auto& end = lists.end(i);
        (end.is_send ? point.scheduled_bytes : point.received_bytes) +=
            static_cast<double>(end.size_bytes);
    }
}

}  // namespace

double SimulatedPoint::algbw_gb_s() const {
    return simulated.time_s > 0.0 ? static_cast<double>(size_bytes) / simulated.time_s * 1e-9 : 0.0;
}

double SimulatedPoint::busbw_gb_s() const {
    return algbw_gb_s() * bus_factor;
}

SimulationPlan plan_simulation(const SimulationOptions& options,
                               const ClusterDescription& cluster) {
    SimulationPlan plan;
    plan.operation = &collectives::find_operation(options.op);
    plan.cluster = cluster;
    plan.type = parse_element_type(options.type);
    plan.algorithms = algorithms_of(options, *plan.operation);
    plan.ranks = ranks_of(options, cluster);
    plan.sizes_bytes = sizes_of({options.smallest, options.largest, options.factor},
                                static_cast<std::int64_t>(element_size(plan.type)), options.type);
    // Far above any vector, far below where the sum over ranks leaves 64 bits.
    constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
    require(plan.sizes_bytes.back() <= most_bytes, [&] {
        return fmt::format("-e {}: give at most {}", options.largest, format_size(most_bytes));
    });
    return plan;
}

SimulatedPoint simulate_point(const SimulationPlan& plan, const Algorithm& algorithm, int ranks,
                              std::int64_t size_bytes) {
    const auto topology = collectives::Topology::blocked(ranks, plan.cluster.ranks_per_node);
    require_playable(algorithm, topology);
    const int segments = collectives::segments_for(algorithm, size_bytes);
    const auto element_bytes = static_cast<std::int64_t>(element_size(plan.type));
    const collectives::CollectiveSpec spec{{size_bytes / element_bytes, plan.type}, 0, {}};
    const collectives::Operation& operation = *algorithm.operation;
    // Every rank's program has the same channels.
    const auto first = collectives::rooted_program(algorithm, topology, 0, 0, segments);
    const collectives::BlockLayout layout(spec, operation.sharing, first.channels, ranks);
    StepLists lists(ranks);
    // A program at a time: at thousands of ranks all of them together need gigabytes.
    for (int rank = 0; rank < ranks; ++rank) {
        lists.append(collectives::rooted_program(algorithm, topology, rank, 0, segments), layout,
                     element_bytes);
    }
    lists.close();
    const collectives::Fabric fabric(plan.cluster, ranks);
    SimulatedPoint point{algorithm.name, ranks, size_bytes, operation.bus_factor(ranks),
                         collectives::play(lists, fabric)};
    count_bytes(lists, point);
    return point;
}

void run_simulation(const SimulationPlan& plan,
                    const std::function<void(const SimulatedGroup&)>& done) {
    for (const int ranks : plan.ranks) {
        for (const std::int64_t size_bytes : plan.sizes_bytes) {
            SimulatedGroup group;
            for (const Algorithm& algorithm : plan.algorithms) {
                group.push_back(simulate_point(plan, algorithm, ranks, size_bytes));
            }
            done(group);
        }
    }
}

}  // namespace shardstone::benchmarks
