// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collectives/drawing/canvas_plan.hpp"
#include "collectives/drawing/svg.hpp"

namespace shardstone::collectives {

/// Line styles that occur in a drawing, and notes on the rest.
struct Legend {
    struct Sample {
        std::string classes;
        std::string meaning;
    };
    std::vector<Sample> samples;
    std::vector<std::string> notes;  ///< lines

    int height() const;
    void paint(Svg& svg, int left, int top) const;
};

/// The legend of a drawing with this many characters per line.
Legend legend_of(const Schedule& schedule, const std::vector<DrawnMessage>& messages,
                 const CanvasPlan& plan, int line_characters);

}  // namespace shardstone::collectives
