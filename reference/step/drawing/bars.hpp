// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "reference/step/timeline.hpp"

namespace shardstone::reference {

/// Contents of one bar of a timeline: consecutive unit passes of a stage pass without a visible gap
/// between them, or one other action.
struct Bar {
    enum class Row : std::uint8_t { computing, messages, transfers };

    Row row = Row::computing;
    const char* style = "";  ///< class of the style sheet
    ActionSpan span;
    std::string label;  ///< written on it, if there is room
    std::string tooltip;
};

/// The bars of one rank. Gaps shorter than `least_gap_s` are not shown.
std::vector<Bar> bars_of(const StepProgram& program, const SharedList<ActionSpan>& spans,
                         double least_gap_s);

}  // namespace shardstone::reference
