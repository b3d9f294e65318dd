// SPDX-License-Identifier: BSD-3-Clause
// The median step of a training without its warm-up, and the rates that follow from it.
#include "benchmarks/training/run/throughput.hpp"

#include <limits>

#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr double no_bound = std::numeric_limits<double>::quiet_NaN();

MedianStep median_step(std::span<const double> times_s) {
    const auto interval = median_interval(times_s);
    return {median(times_s), interval ? interval->low : no_bound,
            interval ? interval->high : no_bound};
}

/// Of choices of experts, none of whose FLOP are done.
double dropped_share(std::span<const reference::StepReport> steps) {
    double sum = 0.0;
    for (const auto& step : steps) sum += step.router ? step.router->dropped : 0.0;
    return steps.empty() ? 0.0 : sum / static_cast<double>(steps.size());
}

}  // namespace

Throughput throughput_of(const reference::TrainOptions& options, const TrainingResult& result,
                         const BusyPeak& peak) {
    std::vector<double> times_s;
    for (const auto& step : result.steps) times_s.push_back(step.time_s);
    const std::size_t first = warmup_count(times_s);
    Throughput found;
    found.uncounted_steps = static_cast<std::int64_t>(first);
    found.counted_steps = std::ssize(times_s) - found.uncounted_steps;
    found.step = median_step(std::span(times_s).subspan(first));
    found.tokens_per_step = options.batch.global_tokens();
    const double dropped = dropped_share(std::span(result.steps).subspan(first));
    found.flop_parameters = flop_parameters(options.model, dropped);
    found.flop_per_token = training_flop_per_token(options.model, options.batch.sequence, dropped);
    found.peak = peak;
    for (std::size_t s = first; s < result.steps.size(); ++s) {
        for (std::size_t p = 0; p < reference::step_part_count; ++p) {
            found.phases[p] += result.steps[s].phases[p];
        }
    }
    return found;
}

}  // namespace shardstone::benchmarks
