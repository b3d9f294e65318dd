// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// The most ranks that are drawn: beyond, lines are closer than a screen can show.
constexpr int most_drawn_ranks = 128;
/// The most segments: each is drawn over the others, one step later.
constexpr int most_drawn_segments = 32;

/// Paints the schedule of an algorithm as an SVG file (UTF-8, no scripts): ranks from top to
/// bottom, grouped by node, steps from left to right, every message an arrow from its sender to its
/// receiver, with steps, volume, price and source above and a legend below. Equal input gives equal
/// bytes.
///
/// Throws Error naming the algorithm when it has no schedule or cannot run on these nodes, and for
/// more ranks or segments than are drawn. Local.
std::string draw(const Algorithm& algorithm, const Topology& topology, int segments = 1);

}  // namespace shardstone::collectives
