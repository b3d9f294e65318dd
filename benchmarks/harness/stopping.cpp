// SPDX-License-Identifier: BSD-3-Clause
// When a measurement is warm, when it is precise enough, and how long its next batch may be.
#include "benchmarks/harness/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/base/error.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

void MeasurePolicy::validate() const {
    require(fixed_iterations >= 0, [&] {
        return fmt::format("{} iterations cannot be run: use a positive number", fixed_iterations);
    });
    require(relative_precision > 0.0 && time_limit_s > 0.0, [&] {
        return fmt::format("precision {} and time limit {} s must be positive", relative_precision,
                           time_limit_s);
    });
    require(least_iterations >= 1 && most_iterations >= least_iterations, [&] {
        return fmt::format(
            "iterations between {} and {}: use at least 1, and no more for the "
            "least than for the most",
            least_iterations, most_iterations);
    });
}

bool warmed_up(std::span<const double> samples_s) {
    constexpr std::size_t window = steady_window;
    if (samples_s.size() < 2 * window) return false;
    return look_alike(samples_s.last(2 * window).first(window), samples_s.last(window));
}

bool precise_enough(std::span<const double> samples_s, const MeasurePolicy& policy) {
    const double together_s = std::accumulate(samples_s.begin(), samples_s.end(), 0.0);
    const auto interval = median_interval(samples_s);
    return together_s >= policy.least_time_s && interval &&
           interval->high - interval->low <= policy.relative_precision * median(samples_s);
}

std::int64_t next_batch(double newest_s, const MeasurePolicy& policy, std::int64_t most) {
    const double affordable = policy.time_limit_s / 10.0 / std::max(newest_s, 1e-9);
    return static_cast<std::int64_t>(std::clamp(affordable, 1.0, static_cast<double>(most)));
}

}  // namespace shardstone::benchmarks
