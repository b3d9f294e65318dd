// SPDX-License-Identifier: BSD-3-Clause
// Turns the timed actions of a rank into the bars of a timeline, joining passes without a gap.
#include "reference/step/drawing/bars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/units.hpp"
#include "reference/step/drawing/words.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;

const char* style_of(const Action& action) {
    switch (action.kind) {
        case Kind::forward:
            return "pf";
        case Kind::recompute:
            return "pr";
        case Kind::backward:
        case Kind::backward_input:
            return "pb";
        case Kind::backward_weight:
            return "pw";
        case Kind::send:
        case Kind::receive:
            return "cm";
        case Kind::transfer:
            return "ct";
        default:
            return "po";
    }
}

Bar::Row row_of(const Action& action) {
    if (action.kind == Kind::transfer) return Bar::Row::transfers;
    return action.is_communication() ? Bar::Row::messages : Bar::Row::computing;
}

bool continues(const Action& one, const Action& next) {
    return one.is_pass() && one.kind == next.kind && one.micro_batch == next.micro_batch &&
           one.chunk == next.chunk;
}

}  // namespace

std::vector<Bar> bars_of(const StepProgram& program, const SharedList<ActionSpan>& spans,
                         double least_gap_s) {
    std::vector<Bar> bars;
    const Action* before = nullptr;  // of the latest bar of a pass
    std::size_t latest = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const Action& action = program.actions[i];
        if (spans[i].end_s <= spans[i].begin_s) continue;
        if (before != nullptr && continues(*before, action) &&
            spans[i].begin_s - bars[latest].span.end_s < least_gap_s) {
            bars[latest].span.end_s = spans[i].end_s;
            continue;
        }
        Bar bar{row_of(action), style_of(action), spans[i], "", words_of(action)};
        if (action.is_pass()) bar.label = fmt::format("{}", action.micro_batch);
        if (!action.is_communication()) {
            before = &action;
            latest = bars.size();
        }
        bars.push_back(std::move(bar));
    }
    for (Bar& bar : bars) {
        bar.tooltip += fmt::format(": from {}, {}", format_time(bar.span.begin_s),
                                   format_time(bar.span.end_s - bar.span.begin_s));
    }
    return bars;
}

}  // namespace shardstone::reference
