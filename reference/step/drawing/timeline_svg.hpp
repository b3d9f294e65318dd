// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference/step/timeline.hpp"

namespace shardstone::reference {

/// A step in time, predicted (Timeline) or measured (trainer/trace.hpp).
struct DrawnStep {
    std::string title;  ///< "predicted on ...", "measured"
    StepSpans spans;
};

/// Most ranks in a drawing.
constexpr int most_drawn_step_ranks = 64;

/// Draws steps of the same programs one above the other as an SVG file (UTF-8, no scripts): one row
/// per rank, time from left to right on one scale for all, passes in the colour of their kind with
/// the number of their micro-batch, below them thin bars for messages and for transfers in
/// progress. Tooltips describe the bars. Equal input gives equal bytes.
///
/// Throws Error for too many ranks. Local.
std::string timeline_svg(const std::string& heading, const ParallelPlan& plan,
                         std::span<const StepProgram> programs,
                         const std::vector<DrawnStep>& steps);

}  // namespace shardstone::reference
