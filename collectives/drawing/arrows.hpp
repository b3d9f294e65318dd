// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collectives/drawing/canvas_plan.hpp"
#include "collectives/drawing/svg.hpp"

namespace shardstone::collectives {

/// Number of distinct channel styles; further channels reuse them.
constexpr int drawn_dashes = 4;

/// The style classes (svg.cpp) of a message's arrow.
std::string arrow_classes(const Schedule& schedule, const DrawnMessage& message, int own_channel);

/// Draws all messages as arrows with tooltips and, if the plan has labels, their contents; `top` is
/// the top of the rows.
void paint_messages(Svg& svg, const Schedule& schedule, const std::vector<DrawnMessage>& messages,
                    const CanvasPlan& plan, int top);

}  // namespace shardstone::collectives
