// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// Options of `shardstone draw`.
struct DrawRequest {
    std::string algorithm;
    std::string operation = "all_reduce";  ///< --operation
    int ranks = 0;                         ///< --ranks
    int ranks_per_node = 0;                ///< --ranks-per-node; 0: one node
    int segments = 1;                      ///< --segments
};

/// The parsed request, as input of draw().
struct DrawPlan {
    Algorithm algorithm;
    Topology topology;
    int segments = 1;
};

/// Throws Error naming the option, its value and valid ones; draw() checks whether the algorithm
/// can be drawn on these nodes. Local.
DrawPlan plan_drawing(const DrawRequest& request);

}  // namespace shardstone::collectives
