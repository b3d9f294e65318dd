// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/collectives/algorithm_names.hpp"
#include "collectives/cluster/description.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/simulation/engine.hpp"
#include "kernels/base/element_type.hpp"

namespace shardstone::benchmarks {

/// What `shardstone simulate` was asked for.
struct SimulationOptions {
    std::string cluster_path;
    std::string op = "all_reduce";
    std::vector<std::string> algorithms{"all"};
    std::vector<std::string> ranks;  ///< none: all of the cluster
    std::string smallest = "1K";     ///< -b
    std::string largest = "1G";      ///< -e
    std::int64_t factor = 32;        ///< -f
    std::string type = "fp32";       ///< -d
    std::string json_path;
};

/// The options with their words understood.
struct SimulationPlan {
    collectives::ClusterDescription cluster;
    const collectives::Operation* operation = nullptr;
    std::vector<collectives::Algorithm> algorithms;
    std::vector<int> ranks;
    std::vector<std::int64_t> sizes_bytes;
    ElementType type = ElementType::fp32;
};

/// Throws Error naming the option, its value and what to give instead. `cluster` is what
/// cluster_path was read to.
SimulationPlan plan_simulation(const SimulationOptions& options,
                               const collectives::ClusterDescription& cluster);

/// One algorithm at one size on so many ranks. Everything is predicted, nothing measured.
struct SimulatedPoint {
    std::string algorithm;
    int ranks = 1;
    std::int64_t size_bytes = 0;
    double bus_factor = 0.0;
    collectives::Simulated simulated;
    double scheduled_bytes = 0.0;  ///< that the programs of all ranks send
    double received_bytes = 0.0;   ///< that they receive

    double algbw_gb_s() const;  ///< as of SweepPoint
    double busbw_gb_s() const;
};

/// The points of one rank count and size, one for each algorithm.
using SimulatedGroup = std::vector<SimulatedPoint>;

/// Plays one collective on the first `ranks` ranks of the cluster. Throws Error when its schedule
/// is too large.
SimulatedPoint simulate_point(const SimulationPlan& plan, const collectives::Algorithm& algorithm,
                              int ranks, std::int64_t size_bytes);

/// Ranks, then sizes; calls `done` with every group.
void run_simulation(const SimulationPlan& plan,
                    const std::function<void(const SimulatedGroup&)>& done);

}  // namespace shardstone::benchmarks
