// SPDX-License-Identifier: BSD-3-Clause
// Step time, bubble, peak of live micro-batches and traffic that a plan's programs are to have.
#include "reference/step/pricing/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kernels/base/units.hpp"
#include "reference/step/pricing/plan_costs.hpp"

namespace shardstone::reference {

namespace {

void add(const TimeSplit& one, double weight, TimeSplit& mean) {
    mean.passes_s += weight * one.passes_s;
    mean.optimizer_s += weight * one.optimizer_s;
    mean.idle_s += weight * one.idle_s;
    for (const GroupKind& kind : group_kinds()) {
        mean.exposed_s[kind] += weight * one.exposed_s[kind];
    }
}

double passes_end_s(std::span<const StepProgram> programs, const Timeline& timeline) {
    double end_s = 0.0;
    for (std::size_t r = 0; r < programs.size(); ++r) {
        for (std::size_t i = 0; i < programs[r].actions.size(); ++i) {
            if (!programs[r].actions[i].is_pass()) continue;
            end_s = std::max(end_s, timeline.spans[r][i].end_s);
        }
    }
    return end_s;
}

std::string rounded_size(double bytes) {
    return format_size(static_cast<std::int64_t>(bytes));
}

}  // namespace

std::int64_t peak_live(const StepProgram& program) {
    std::set<std::pair<int, std::int64_t>> live;
    std::size_t most = 0;
    for (const Action& action : program.actions) {
        if (action.kind == Action::Kind::forward) live.insert({action.chunk, action.micro_batch});
        most = std::max(most, live.size());
        const bool ends =
            action.kind == Action::Kind::backward || action.kind == Action::Kind::backward_weight;
        if (ends && action.ends_pass && action.unit == 0)
            live.erase({action.chunk, action.micro_batch});
    }
    return static_cast<std::int64_t>(most);
}

StepPrediction prediction_of(const StepSpec& spec, std::span<const StepProgram> programs,
                             const Timeline& timeline, const StepCosts& costs,
                             const WireFormat& format, const Machine& machine) {
    StepPrediction prediction;
    prediction.step_s = timeline.end_s;
    prediction.utilisation = timeline.utilisation;
    const auto stages = static_cast<std::size_t>(spec.plan.pipeline);
    prediction.bubble.assign(stages, 0.0);
    prediction.peak_live.assign(stages, 0);
    const double end_s = passes_end_s(programs, timeline);
    const auto ranks = static_cast<double>(programs.size());
    for (std::size_t r = 0; r < programs.size(); ++r) {
        const auto rank = static_cast<int>(r);
        const auto stage = static_cast<std::size_t>(coordinates_of(spec.plan, rank).pipeline);
        const double idle = end_s > 0.0 ? 1.0 - timeline.busy_s[r] / end_s : 0.0;
        prediction.bubble[stage] += idle * static_cast<double>(stages) / ranks;
        prediction.peak_live[stage] = std::max(prediction.peak_live[stage], peak_live(programs[r]));
        add(time_split(programs[r], timeline, costs, rank), 1.0 / ranks, prediction.split);
        const auto topology = [&](GroupKind group) {
            return machine.topology_of(RankGroup(spec.plan, group, rank));
        };
        const auto sent = scheduled_traffic(spec, programs[r], rank, format, topology);
        for (const GroupKind& kind : group_kinds()) prediction.sent[kind] += sent[kind];
    }
    return prediction;
}

PricedStep price_step(const StepSpec& spec, const Machine& machine, const MemoryOptions& options) {
    const PlanCosts costs(spec, machine, options);
    PricedStep step{step_programs(spec), {}, {}};
    step.timeline = run_in_virtual_time(spec.plan, step.programs, costs);
    step.prediction =
        prediction_of(spec, step.programs, step.timeline, costs, costs.format(), machine);
    return step;
}

std::string to_line(const StepPrediction& prediction) {
    const TimeSplit& split = prediction.split;
    const auto percent = [&](double part_s) {
        return format_fixed(100.0 * part_s / prediction.step_s, 1);
    };
    std::string exposed;
    collectives::Traffic sent;
    for (const GroupKind& kind : group_kinds()) {
        sent += prediction.sent[kind];
        if (split.exposed_s[kind] == 0.0) continue;
        exposed += fmt::format(" {} {} %", to_string(kind), percent(split.exposed_s[kind]));
    }
    std::vector<std::string> bubbles;
    for (const double bubble : prediction.bubble) {
        bubbles.push_back(format_fixed(100.0 * bubble, 1));
    }
    return fmt::format(
        "step {}: passes {} %, optimizer {} %, exposed{}, idle {} %; utilisation "
        "{:.1f} %, bubble by stage {} %; sent {} inside nodes, {} between; live by stage {}",
        format_time(prediction.step_s), percent(split.passes_s), percent(split.optimizer_s),
        exposed.empty() ? " nothing" : exposed, percent(split.idle_s),
        100.0 * prediction.utilisation, fmt::join(bubbles, " "),
        rounded_size(sent.inside_node_bytes), rounded_size(sent.between_nodes_bytes),
        fmt::join(prediction.peak_live, " "));
}

}  // namespace shardstone::reference
