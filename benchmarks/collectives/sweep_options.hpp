// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collectives/cluster/topology.hpp"
#include "collectives/executors/reduction.hpp"

namespace shardstone::benchmarks {

/// What `shardstone collectives` was asked for; the flags are those of nccl-tests.
struct SweepOptions {
    std::string op = "all_reduce";
    std::vector<std::string> algorithms{"all"};
    std::string smallest = "4";      ///< -b
    std::string largest = "4M";      ///< -e
    std::int64_t factor = 8;         ///< -f
    std::int64_t iterations = 0;     ///< -n; 0: until the interval is narrow enough
    std::int64_t warmup = -1;        ///< -w; -1: until the times settle
    std::int64_t checks = 1;         ///< -c; runs per point whose every element is checked
    std::string type = "fp32";       ///< -d
    std::string reduction = "sum";   ///< -o
    double seconds_per_point = 0.5;  ///< where -n does not say
    int ranks_per_node = 0;          ///< 0: as found
    std::string json_path;
    std::string hdf5_path;
};

/// The options with their words understood.
struct SweepPlan {
    std::vector<std::string> algorithms;
    std::vector<std::int64_t> sizes_bytes;
    ElementType type = ElementType::fp32;
    collectives::Reduction reduction = collectives::Reduction::sum;
};

/// Local, no communication. Throws Error naming the option, its value and what to give instead.
SweepPlan plan_sweep(const SweepOptions& options);

/// Takes those that "all" stood for and that cannot reach all nodes out of the plan; one that was
/// named stays, and says itself why it cannot.
void leave_out_unreachable(const SweepOptions& options, const collectives::Topology& topology,
                           SweepPlan& plan);

/// Every option in force, for the record.
nlohmann::json to_json(const SweepOptions& options);

}  // namespace shardstone::benchmarks
