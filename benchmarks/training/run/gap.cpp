// SPDX-License-Identifier: BSD-3-Clause
// The last steps of a training, and the predicted one, are split into the parts of the gap.
#include "benchmarks/training/run/gap.hpp"

#include <algorithm>

#include "benchmarks/training/run/trace.hpp"
#include "reference/step/pricing/late_bounds.hpp"
#include "reference/step/pricing/prediction.hpp"

namespace shardstone::benchmarks {

using namespace reference;

GapSplit Gap::measured() const {
    GapSplit mean{};
    for (const GapSplit& step : steps) {
        for (std::size_t part = 0; part < gap_part_count; ++part) {
            mean[part] += step[part] / static_cast<double>(steps.size());
        }
    }
    return mean;
}

namespace {

std::vector<ChangedStep> changed_steps(const WhatIf& what_if, const std::vector<StepTimes>& times,
                                       const StepTimes& predicted) {
    std::vector<ChangedStep> all;
    const auto predicted_s = what_if.steps_s(predicted);
    for (const StepChange& change : what_if.changes()) {
        all.push_back({change, 0.0, predicted_s[all.size()]});
    }
    for (const StepTimes& one : times) {
        const auto steps_s = what_if.steps_s(one);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].step_s += steps_s[i] / static_cast<double>(times.size());
        }
    }
    return all;
}

/// By rank, what its device takes for loading in a step, however long the rank took.
std::vector<double> paced_input_s(const TrainOptions& options,
                                  std::span<const StepProgram> programs) {
    std::vector<double> times_s;
    for (int rank = 0; rank < std::ssize(programs); ++rank) {
        const ModelPart part = part_of(options, rank);
        const auto loads =
            std::ranges::count_if(programs[static_cast<std::size_t>(rank)].actions,
                                  [&](const Action& action) { return loads_data(action, part); });
        times_s.push_back(static_cast<double>(loads) * options.pace->input_s);
    }
    return times_s;
}

}  // namespace

std::optional<Gap> split_gap(const collectives::Communicator& communicator,
                             const TrainOptions& options, const Machine& machine,
                             const StepProgram& program, const StepTraces& traces,
                             std::int64_t steps) {
    const std::int64_t count = std::min(most_split_steps, (steps + 1) / 2);
    std::vector<MeasuredStep> measured;
    for (std::int64_t step = steps - count + 1; step <= steps; ++step) {
        const RankWaits& waits = traces.waits[static_cast<std::size_t>(step - 1)];
        measured.push_back(
            measured_step(communicator, program, traces.events, waits, step, traces.origin_s));
    }
    if (!communicator.is_root()) return std::nullopt;
    const PricedStep priced = price_step(options, machine, memory_options(options));
    const auto paced_s =
        options.pace ? paced_input_s(options, priced.programs) : std::vector<double>{};
    std::vector<StepTimes> times;
    const auto ranks = static_cast<std::size_t>(options.plan.ranks());
    for (std::int64_t i = 0; i < count; ++i) {
        const auto step = static_cast<std::size_t>(steps - count + i);
        const auto& [spans, waits] = measured[static_cast<std::size_t>(i)];
        const auto input_s =
            options.pace ? std::span(paced_s) : traces.input_s.subspan(step * ranks, ranks);
        times.push_back(times_of_step(options, priced.programs, spans, input_s, waits));
    }
    bound_lateness(times);
    const StepTimes predicted = times_of_step(options, priced.programs, priced.timeline.spans, {});
    const GapSplitter splitter(options, machine, memory_options(options), priced.programs,
                               options.pace.has_value());
    Gap gap;
    gap.basis = {machine.cluster.name, machine.cluster.source, machine.flop_per_s,
                 machine.memory_bytes_per_s};
    gap.predicted = splitter.split(predicted);
    for (const StepTimes& one : times) gap.steps.push_back(splitter.split(one));
    gap.changed = changed_steps(WhatIf(options, machine, memory_options(options), priced.programs),
                                times, predicted);
    return gap;
}

}  // namespace shardstone::benchmarks
