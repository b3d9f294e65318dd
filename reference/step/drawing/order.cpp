// SPDX-License-Identifier: BSD-3-Clause
// Writes a pipeline schedule as text: a grid of passes by stage, or a list of events in time.
#include "reference/step/drawing/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "reference/step/pricing/fixed_costs.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;

/// A step in which every pass has length 1, or 2 for both halves of a backward pass.
struct UnitStep {
    StepSpec spec;  ///< of one replica and tensor rank: rank s is stage s
    std::vector<StepProgram> programs;
    Timeline timeline;
};

/// What replicas and tensor ranks send takes no time here: one of each shows the order of all.
UnitStep unit_step(const StepSpec& spec) {
    UnitStep step{spec, {}, {}};
    step.spec.batch.global_batch /= batch_shares(spec.plan);
    step.spec.plan = {};
    step.spec.plan.pipeline = spec.plan.pipeline;
    step.programs = step_programs(step.spec);
    step.timeline = run_in_virtual_time(step.spec.plan, step.programs, FixedCosts(1, 1, 1));
    return step;
}

/// FixedCosts books all of a stage pass there.
bool is_stage_pass(const Action& action) {
    return action.begins_pass() && action.kind != Kind::recompute && action.unit == 0;
}

std::string label_of(const Action& action, bool with_chunk) {
    const char letter = action.kind == Kind::forward           ? 'F'
                        : action.kind == Kind::backward_weight ? 'W'
                                                               : 'B';
    std::string label = fmt::format("{}{}", letter, action.micro_batch);
    if (with_chunk) label += static_cast<char>('a' + action.chunk);
    return label;
}

std::string line_of(const StepProgram& program, const SharedList<ActionSpan>& spans,
                    std::size_t columns, bool with_chunk, std::size_t width) {
    std::vector<std::string> cells(columns, ".");
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (!is_stage_pass(program.actions[i])) continue;
        const auto begin = static_cast<std::size_t>(spans[i].begin_s);
        const auto end = static_cast<std::size_t>(spans[i].end_s);
        for (std::size_t at = begin; at < std::min(end, columns); ++at) {
            cells[at] = at == begin ? label_of(program.actions[i], with_chunk) : "--";
        }
    }
    std::string line;
    for (const std::string& cell : cells) line += fmt::format("{:<{}}", cell, width + 1);
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

/// One line of the list, and where it belongs: messages before what waits for them.
struct Event {
    double time_s;
    bool is_pass;
    int stage;
    std::string text;

    auto key() const { return std::tuple(time_s, is_pass, stage); }
};

std::string words_of(const StepSpec& spec, int stage, const Action& action) {
    const std::string chunk =
        spec.pipeline.chunks > 1 ? fmt::format(" of chunk {}", action.chunk) : "";
    if (action.kind != Kind::send) {
        return fmt::format("stage {} begins {} {}{}", stage, to_string(action.kind),
                           action.micro_batch, chunk);
    }
    return fmt::format("stage {} sends {} {}{} to stage {}", stage,
                       action.message.gradient ? "gradient" : "stream", action.micro_batch, chunk,
                       action.message.peer_stage);
}

}  // namespace

std::string order_of_passes(const StepSpec& spec, int most_columns) {
    const UnitStep step = unit_step(spec);
    const bool with_chunk = spec.pipeline.chunks > 1;
    const auto length = static_cast<std::size_t>(step.timeline.end_s);
    const std::size_t columns = std::min(length, static_cast<std::size_t>(most_columns));
    const std::size_t width =
        fmt::format("F{}", spec.micro_batches() - 1).size() + (with_chunk ? 1 : 0);
    std::string text;
    for (std::size_t stage = 0; stage < step.programs.size(); ++stage) {
        text += fmt::format(
            "stage {:<3} {}{}\n", stage,
            line_of(step.programs[stage], step.timeline.spans[stage], columns, with_chunk, width),
            columns < length ? " ..." : "");
    }
    return text;
}

std::string order_of_events(const StepSpec& spec, int most_lines) {
    const UnitStep step = unit_step(spec);
    std::vector<Event> events;
    for (std::size_t stage = 0; stage < step.programs.size(); ++stage) {
        const auto& actions = step.programs[stage].actions;
        for (std::size_t i = 0; i < actions.size(); ++i) {
            if (!is_stage_pass(actions[i]) && actions[i].kind != Kind::send) continue;
            events.push_back({step.timeline.spans[stage][i].begin_s, actions[i].is_pass(),
                              static_cast<int>(stage),
                              words_of(spec, static_cast<int>(stage), actions[i])});
        }
    }
    std::ranges::stable_sort(events, {}, &Event::key);
    std::string text;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (std::cmp_equal(i, most_lines)) {
            return text + fmt::format("      ... and {} more\n", events.size() - i);
        }
        text += fmt::format("{:>4}  {}\n", events[i].time_s, events[i].text);
    }
    return text;
}

}  // namespace shardstone::reference
