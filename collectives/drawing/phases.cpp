// SPDX-License-Identifier: BSD-3-Clause
// Spans of steps that have a name: reduce-scatter and all-gather, or within and between nodes.
#include "collectives/drawing/phases.hpp"

#include <optional>

namespace shardstone::collectives {

namespace {

/// By column, whether its messages stay within nodes; nothing where some do and some do not.
std::vector<std::optional<bool>> within_nodes(const Schedule& schedule,
                                              const std::vector<DrawnMessage>& messages,
                                              const CanvasPlan& plan) {
    const auto columns = static_cast<std::size_t>(plan.columns());
    std::vector<bool> within(columns, false);
    std::vector<bool> between(columns, false);
    for (const DrawnMessage& message : messages) {
        const bool inside = schedule.topology.same_node(message.from, message.to);
        (inside ? within : between)[static_cast<std::size_t>(plan.column_of(message))] = true;
    }
    std::vector<std::optional<bool>> pure(columns);
    for (std::size_t column = 0; column < columns; ++column) {
        if (within[column] != between[column]) pure[column] = within[column];
    }
    return pure;
}

}  // namespace

std::vector<Phase> phases_of(const Algorithm& algorithm, const Schedule& schedule,
                             const std::vector<DrawnMessage>& messages, const CanvasPlan& plan) {
    const int steps = algorithm.steps(schedule.topology);
    const bool in_segments = plan.columns() > steps;
    if (algorithm.reduce_scatter && steps > 1 && !in_segments) {
        return {{0, steps / 2, "reduce-scatter"}, {steps / 2, steps, "all-gather"}};
    }
    if (schedule.topology.nodes() == 1) return {};
    std::vector<Phase> phases;
    std::optional<bool> last;
    int column = 0;
    for (const std::optional<bool> within : within_nodes(schedule, messages, plan)) {
        if (!within) return {};
        if (within != last) phases.push_back({column, column, *within ? "within" : "between"});
        phases.back().end = ++column;
        last = within;
    }
    for (Phase& phase : phases) {
        const int width = plan.column_x(phase.end) - plan.column_x(phase.first);
        constexpr int room_for_a_word_more = 100;
        if (width >= room_for_a_word_more) phase.name += " nodes";
    }
    return phases;
}

}  // namespace shardstone::collectives
