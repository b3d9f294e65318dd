// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/training/overlap_record.hpp"

#include <fmt/format.h>

#include <limits>

#include "reference/trainer/record.hpp"

namespace shardstone::benchmarks {

namespace {

using results::Check;
using results::Table;

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

Table samples(const char* name, const StepTimes& times) {
    return {name,
            {{"step_s", times.step_s, {}},
             {"exposed_s", times.exposed_s, {}},
             {"compute_s", times.compute_s, {}}}};
}

Table summary(const OverlapTiming& timing) {
    Table table{"summary",
                {{"figure", {}, {}}, {"median", {}, {}}, {"low", {}, {}}, {"high", {}, {}}}};
    const auto add = [&](const char* name, const RoundFigure& figure) {
        table.columns[0].texts.emplace_back(name);
        table.columns[1].numbers.push_back(figure.median);
        table.columns[2].numbers.push_back(figure.interval ? figure.interval->low : not_known);
        table.columns[3].numbers.push_back(figure.interval ? figure.interval->high : not_known);
    };
    const auto add_times = [&](const std::string& of, const StepTimes& times) {
        add((of + "_step_s").c_str(), RoundFigure(times.step_s));
        add((of + "_exposed_s").c_str(), RoundFigure(times.exposed_s));
        add((of + "_compute_s").c_str(), RoundFigure(times.compute_s));
    };
    add_times("overlapped", timing.overlapped);
    add_times("apart", timing.apart);
    add("exposed_ratio", timing.exposed_ratio());
    add("hidden_share", timing.hidden_share());
    add("bytes_per_step", RoundFigure({timing.bytes_per_step}));
    return table;
}

}  // namespace

std::vector<Check> checks_of(const collectives::Communicator& world, const OverlapTiming& timing,
                             std::optional<double> ratio_limit) {
    const bool bytes = timing.sent_bytes == timing.scheduled_bytes;
    std::vector<Check> checks{
        {"losses and gradient norms with and without overlap are bitwise equal", timing.same_losses,
         fmt::format("{} rounds and the warm-up", timing.apart.step_s.size())},
        {"weights with and without overlap are bitwise equal", timing.same_weights, "at the end"},
        {"bytes sent equal the step program's", world.min(bytes ? 1.0 : 0.0) > 0.0,
         fmt::format("{:.0f} a step on rank 0", timing.bytes_per_step)}};
    if (ratio_limit) {
        const RoundFigure ratio = timing.exposed_ratio();
        checks.push_back(
            {fmt::format("overlap leaves at most {:.2f} of the exposed communication",
                         *ratio_limit),
             ratio.upper() <= *ratio_limit,
             fmt::format("{:.3f}, at most {:.3f} with 95 %", ratio.median, ratio.upper())});
    }
    return checks;
}

void fill_record(results::Record& record, const OverlapSetup& setup, const OverlapTiming& timing) {
    record.configuration = reference::to_json(setup.options);
    for (const char* unused : {"overlap", "steps"}) record.configuration.erase(unused);
    record.configuration["rounds"] = setup.rounds;
    record.configuration["warmup_rounds"] = setup.warmup_rounds;
    record.samples = {samples("overlapped", timing.overlapped), samples("apart", timing.apart)};
    record.derived = {summary(timing)};
}

}  // namespace shardstone::benchmarks
