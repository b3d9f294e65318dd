// SPDX-License-Identifier: BSD-3-Clause
// Speeds, intervals and shares of trainings, and of single steps, again from each step's times.
#include "results/schema/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "kernels/base/statistics.hpp"
#include "results/recompute/comparer.hpp"
#include "results/record/nature.hpp"
#include "results/schema/arithmetic.hpp"

namespace shardstone::results {

namespace {

/// The parts of a step's time, in every row that has them.
template <class Row>
struct PhaseColumns {
    struct One {
        const char* name;
        double Row::*member;
    };
    static constexpr std::array<One, 5> all{{{"compute_s", &Row::compute_s},
                                             {"communication_s", &Row::communication_s},
                                             {"data_s", &Row::data_s},
                                             {"optimizer_s", &Row::optimizer_s},
                                             {"preempted_s", &Row::preempted_s}}};
};

/// One step by what its ranks measured: it takes as long as the slowest, its parts are means.
struct MeasuredStep {
    double ranks = 0.0;
    double time_s = 0.0;
    std::array<double, 5> sums{};

    double part(std::size_t which) const { return sums[which] / ranks; }
};

/// By their numbers; none in records of version 1.
std::map<double, MeasuredStep> measured_steps(const Record& record) {
    std::map<double, MeasuredStep> steps;
    for (const auto& row : rows_of<RankStepRow>(record)) {
        MeasuredStep& step = steps[row.step];
        step.ranks += 1.0;
        step.time_s = std::max(step.time_s, row.time_s);
        for (std::size_t i = 0; i < step.sums.size(); ++i) {
            step.sums[i] += row.*PhaseColumns<RankStepRow>::all[i].member;
        }
    }
    return steps;
}

double tokens_of_step(const Record& record) {
    const auto setting = [&](const char* name) {
        const auto found = record.configuration.find(name);
        return found != record.configuration.end() && found->is_number() ? found->get<double>()
                                                                         : not_measured;
    };
    return setting("global_batch") * setting("sequence");
}

void compare_steps(const Record& record, const std::map<double, MeasuredStep>& steps,
                   Recomputed& found) {
    const auto rows = rows_of<StepRow>(record);
    const double tokens = tokens_of_step(record);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto step = steps.find(rows[i].step);
        if (step == steps.end()) continue;
        RowComparer compare(record, found, "steps", i, fmt::format("step {}", rows[i].step));
        compare.number("time_s", rows[i].time_s, step->second.time_s);
        if (!std::isnan(tokens)) {
            compare.number("tokens_per_s", rows[i].tokens_per_s, tokens / step->second.time_s);
        }
        for (std::size_t p = 0; p < step->second.sums.size(); ++p) {
            const auto& column = PhaseColumns<StepRow>::all[p];
            compare.number(column.name, rows[i].*column.member, step->second.part(p));
        }
    }
}

/// Of a paced training the peak is no measurement.
double mfu_of(const Record& record, const TrainingRow& row) {
    if (nature_of(record) == Nature::paced) return not_measured;
    return row.flop_per_s / (row.busy_cores * row.core_peak_flop_per_s);
}

void compare_speed(const TrainingRow& row, std::span<const double> counted_s, double tokens,
                   RowComparer& compare) {
    const double step_s = median(counted_s);
    const auto interval = median_interval(counted_s);
    compare.number("step_s", row.step_s, step_s);
    compare.interval("step_s_low", row.step_s_low, "step_s_high", row.step_s_high, counted_s);
    if (!std::isnan(tokens)) {
        compare.number("tokens_per_step", row.tokens_per_step, tokens);
        compare.number("tokens_per_s", row.tokens_per_s, tokens / step_s);
        compare.number("tokens_per_s_low", row.tokens_per_s_low,
                       interval ? tokens / interval->high : not_measured);
        compare.number("tokens_per_s_high", row.tokens_per_s_high,
                       interval ? tokens / interval->low : not_measured);
    }
    if (!std::isnan(row.flop_per_token)) {
        compare.number("flop_per_s", row.flop_per_s,
                       row.flop_per_token * row.tokens_per_step / step_s);
    }
}

/// Losses are samples and results at once: those of the summary are the last ones.
void compare_losses(const Record& record, const TrainingRow& row, RowComparer& compare) {
    const auto steps = rows_of<StepRow>(record);
    if (!steps.empty()) compare.number("final_loss", row.final_loss, steps.back().loss);
    const auto evaluations = rows_of<EvaluationRow>(record);
    if (evaluations.empty()) return;
    compare.number("validation_loss", row.validation_loss, evaluations.back().validation_loss);
}

}  // namespace

void compare_training(const Record& record, Recomputed& found) {
    const auto rows = rows_of<TrainingRow>(record);
    if (rows.empty()) return;
    RowComparer compare(record, found, "summary", 0, rows.front().model);
    compare_losses(record, rows.front(), compare);
    const auto steps = measured_steps(record);
    if (steps.empty()) return;
    compare_steps(record, steps, found);
    std::vector<double> times_s;
    for (const auto& [number, step] : steps) times_s.push_back(step.time_s);
    const std::size_t first = warmup_count(times_s);
    compare.number("uncounted_steps", rows.front().uncounted_steps, static_cast<double>(first));
    compare.number("counted_steps", rows.front().counted_steps,
                   static_cast<double>(times_s.size() - first));
    compare_speed(rows.front(), std::span(times_s).subspan(first), tokens_of_step(record), compare);
    compare.number("mfu", rows.front().mfu, mfu_of(record, rows.front()));
    std::array<double, 5> sums{};
    for (auto step = std::next(steps.begin(), static_cast<std::ptrdiff_t>(first));
         step != steps.end(); ++step) {
        for (std::size_t p = 0; p < sums.size(); ++p) sums[p] += step->second.part(p);
    }
    for (std::size_t p = 0; p < sums.size(); ++p) {
        const auto& column = PhaseColumns<TrainingRow>::all[p];
        compare.number(column.name, rows.front().*column.member, sums[p]);
    }
}

void compare_arithmetic(const Record& record, Recomputed& found) {
    const auto rows = rows_of<ArithmeticRow>(record);
    const auto steps = rows_of<ArithmeticStepRow>(record);
    if (rows.empty() || steps.empty()) return;
    const ArithmeticRow& row = rows.front();
    const auto times = [&](double ArithmeticStepRow::*member) {
        std::vector<double> times_s;
        for (const auto& step : steps) times_s.push_back(step.*member);
        return times_s;
    };
    const auto steps_s = times(&ArithmeticStepRow::step_s);
    RowComparer compare(record, found, "arithmetic", 0, "the step");
    compare.number("step_s", row.step_s, median(steps_s));
    compare.interval("step_low_s", row.step_low_s, "step_high_s", row.step_high_s, steps_s);
    compare.number("forward_s", row.forward_s, median(times(&ArithmeticStepRow::forward_s)));
    compare.number("backward_s", row.backward_s, median(times(&ArithmeticStepRow::backward_s)));
    compare.number("optimizer_s", row.optimizer_s, median(times(&ArithmeticStepRow::optimizer_s)));
    compare.number("zeroing_s", row.zeroing_s, median(times(&ArithmeticStepRow::zeroing_s)));
    compare.number("flop_per_s", row.flop_per_s, row.flop_per_token * row.tokens_per_s);
    compare.number("mfu", row.mfu, row.flop_per_s / row.core_peak_flop_per_s);
}

}  // namespace shardstone::results
