// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// Most ranks in a drawing: beyond that, lines are too close for a screen.
constexpr int most_drawn_ranks = 128;
/// Most segments: each is drawn over the others, one step later.
constexpr int most_drawn_segments = 32;

/// Draws the schedule of an algorithm as an SVG file (UTF-8, no scripts): ranks from top to bottom,
/// grouped by node, steps from left to right, every message an arrow from its sender to its
/// receiver, with steps, volume, price and source above and a legend below. Equal input gives equal
/// bytes.
///
/// Throws Error naming the algorithm if it has no schedule or cannot run on these nodes, and for
/// too many ranks or segments. Local.
std::string draw(const Algorithm& algorithm, const Topology& topology, int segments = 1);

}  // namespace shardstone::collectives
