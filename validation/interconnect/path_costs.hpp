// SPDX-License-Identifier: BSD-3-Clause
// Latency and time per byte of each path of a cluster.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/base/statistics.hpp"
#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

/// alpha + beta * size: the time of a message on one path.
struct PathCost {
    Path path = Path::same_leaf;
    bool alone = false;
    int tests = 0;                 ///< pairs and directions with times at two sizes or more
    double alpha_s = 0.0;          ///< median over them
    double beta_s_per_byte = 0.0;  ///< median over them
    /// Distribution-free 95 % intervals for the medians (median_interval()); nothing below 6 tests.
    std::optional<Interval> alpha_interval_s = {};
    std::optional<Interval> beta_interval_s_per_byte = {};
};

/// For every path that was tested with at least two sizes, alone and not. Each pair and direction
/// has a line of its own through the medians of its smallest and its largest size: beta from their
/// difference, alpha from what beta leaves of the smallest. Medians over the pairs are unmoved by a
/// minority of bad ones.
std::vector<PathCost> path_costs(std::span<const Place> places, std::span<const PairTime> times);

}  // namespace shardstone::validation
