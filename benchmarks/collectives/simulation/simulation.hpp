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

/// Options of `shardstone simulate`.
struct SimulationOptions {
    std::string cluster_path;
    std::string op = "all_reduce";
    std::vector<std::string> algorithms{"all"};
    std::vector<std::string> ranks;  ///< empty: all of the cluster
    std::string smallest = "1K";     ///< -b
    std::string largest = "1G";      ///< -e
    std::int64_t factor = 32;        ///< -f
    std::string type = "fp32";       ///< -d
    std::string json_path;
};

/// The parsed options.
struct SimulationPlan {
    collectives::ClusterDescription cluster;
    const collectives::Operation* operation = nullptr;
    std::vector<collectives::Algorithm> algorithms;
    std::vector<int> ranks;
    std::vector<std::int64_t> sizes_bytes;
    ElementType type = ElementType::fp32;
};

/// Throws Error naming the option, its value and valid ones. `cluster` is the description read from
/// cluster_path.
SimulationPlan plan_simulation(const SimulationOptions& options,
                               const collectives::ClusterDescription& cluster);

/// One algorithm at one size and number of ranks. Everything is predicted, nothing measured.
struct SimulatedPoint {
    std::string algorithm;
    int ranks = 1;
    std::int64_t size_bytes = 0;
    double bus_factor = 0.0;
    collectives::Simulated simulated;
    double scheduled_bytes = 0.0;  ///< sent by the programs of all ranks
    double received_bytes = 0.0;   ///< received by them

    double algbw_gb_s() const;  ///< as in SweepPoint
    double busbw_gb_s() const;
};

/// The points of one rank count and size, one for each algorithm.
using SimulatedGroup = std::vector<SimulatedPoint>;

/// Simulates one collective on the first `ranks` ranks of the cluster. Throws Error if its schedule
/// is too large.
SimulatedPoint simulate_point(const SimulationPlan& plan, const collectives::Algorithm& algorithm,
                              int ranks, std::int64_t size_bytes);

/// Simulates all points, by ranks, then sizes; calls `done` with every group.
void run_simulation(const SimulationPlan& plan,
                    const std::function<void(const SimulatedGroup&)>& done);

}  // namespace shardstone::benchmarks
