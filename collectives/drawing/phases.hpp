// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collectives/drawing/canvas_plan.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// Columns that belong together.
struct Phase {
    int first = 0;
    int end = 0;  ///< one past the last
    std::string name;
};

/// The phases of a schedule, if distinguishable: the reduce-scatter and the all-gather of an
/// all-reduce composed of them; otherwise, if every step is either within or between nodes, these.
/// Else none.
std::vector<Phase> phases_of(const Algorithm& algorithm, const Schedule& schedule,
                             const std::vector<DrawnMessage>& messages, const CanvasPlan& plan);

}  // namespace shardstone::collectives
