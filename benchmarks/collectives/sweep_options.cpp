// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/sweep_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "benchmarks/collectives/size_range.hpp"
#include "benchmarks/harness/statistics.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

std::vector<std::string> algorithms_of(const SweepOptions& options) {
    std::vector<std::string> names;
    for (const std::string& word : options.algorithms) {
        if (word == "all") {
            const auto all = collectives::algorithms_for("all_reduce");
            names.insert(names.end(), all.begin(), all.end());
        } else {
            names.push_back(collectives::find_algorithm("all_reduce", word).name);
        }
    }
    require(!names.empty(), "--algorithm names none: give all, or a list such as ring,mpi");
    return names;
}

/// The vector and its scratch, on this rank alone, must fit into the machine.
void require_memory(const SweepOptions& options, std::int64_t largest_bytes) {
    const std::int64_t memory = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
    require(largest_bytes <= memory / 2, [&] {
        return fmt::format("-e {}: vector and scratch need more than this machine's {}: give less",
                           options.largest, format_size(memory));
    });
}

/// Samples below which the median has no interval.
std::int64_t fewest_samples() {
    std::vector<double> samples{0.0};
    while (!median_interval(samples)) samples.push_back(0.0);
    return std::ssize(samples);
}

void require_counts(const SweepOptions& options) {
    require(options.iterations >= 0 && options.checks >= 0 && options.warmup >= -1, [&] {
        return fmt::format("-n {} -w {} -c {}: counts cannot be negative", options.iterations,
                           options.warmup, options.checks);
    });
    require(options.iterations == 0 || options.iterations >= fewest_samples(), [&] {
        return fmt::format(
            "-n {}: too few samples for a 95 % interval of the median: give at "
            "least {}, or 0 to let the scatter decide",
            options.iterations, fewest_samples());
    });
    require(options.seconds_per_point > 0.0, [&] {
        return fmt::format("--seconds {}: give more than 0", options.seconds_per_point);
    });
    require(options.ranks_per_node >= 0, [&] {
        return fmt::format("--ranks-per-node {}: give at least 1, or 0 to take what is found",
                           options.ranks_per_node);
    });
}

}  // namespace

SweepPlan plan_sweep(const SweepOptions& options) {
    require(options.op == "all_reduce",
            [&] { return fmt::format("--op {}: unknown; give all_reduce", options.op); });
    require_counts(options);
    require(options.json_path.empty() || options.json_path != options.hdf5_path, [&] {
        return fmt::format("--json and --hdf5 both name '{}': give two files", options.json_path);
    });
    SweepPlan plan;
    plan.type = parse_element_type(options.type);
    plan.reduction = collectives::parse_reduction(options.reduction);
    plan.algorithms = algorithms_of(options);
    plan.sizes_bytes = sizes_of({options.smallest, options.largest, options.factor},
                                static_cast<std::int64_t>(element_size(plan.type)), options.type);
    require_memory(options, plan.sizes_bytes.back());
    return plan;
}

void leave_out_unreachable(const SweepOptions& options, const collectives::Topology& topology,
                           SweepPlan& plan) {
    if (topology.nodes() == 1) return;
    std::erase_if(plan.algorithms, [&](const std::string& name) {
        return collectives::find_algorithm("all_reduce", name).one_node_only &&
               std::ranges::find(options.algorithms, name) == options.algorithms.end();
    });
}

nlohmann::json to_json(const SweepOptions& options) {
    return {{"op", options.op},
            {"algorithms", options.algorithms},
            {"smallest", options.smallest},
            {"largest", options.largest},
            {"factor", options.factor},
            {"iterations", options.iterations},
            {"warmup", options.warmup},
            {"checks", options.checks},
            {"type", options.type},
            {"reduction", options.reduction},
            {"seconds_per_point", options.seconds_per_point},
            {"ranks_per_node", options.ranks_per_node}};
}

}  // namespace shardstone::benchmarks
