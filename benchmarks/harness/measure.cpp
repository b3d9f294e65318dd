// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/harness/measure.hpp"

#include <algorithm>

#include "benchmarks/harness/team.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t most_warmup = 100;
constexpr std::int64_t most_in_batch = most_values_compared - 1;  // and the elapsed time

/// Runs iterations and keeps what all members agree on: times and elapsed time as maxima over them.
class Stopwatch {
  public:
    Stopwatch(Team& team, const std::function<void()>& run)
        : team_(team), run_(run), start_s_(now_s()) {}

    /// Collective. Appends `iterations` samples.
    void batch(std::int64_t iterations, std::vector<double>& samples_s) {
        std::vector<double> mine(static_cast<std::size_t>(iterations) + 1);
        for (std::int64_t i = 0; i < iterations; ++i) {
            team_.line_up();
            const double begin = now_s();
            run_();
            mine[static_cast<std::size_t>(i)] = now_s() - begin;
        }
        mine.back() = now_s() - start_s_;
        const auto slowest = team_.maxima(mine);
        samples_s.insert(samples_s.end(), slowest.begin(), slowest.end() - 1);
        elapsed_s_ = slowest.back();
    }

    double elapsed_s() const { return elapsed_s_; }

  private:
    Team& team_;
    const std::function<void()>& run_;
    double start_s_;
    double elapsed_s_ = 0.0;
};

void run_exactly(std::int64_t iterations, Stopwatch& stopwatch, std::vector<double>& samples_s) {
    for (std::int64_t left = iterations; left > 0;) {
        const std::int64_t batch = std::min(left, most_in_batch);
        stopwatch.batch(batch, samples_s);
        left -= batch;
    }
}

std::vector<double> warm_up(const MeasurePolicy& policy, Stopwatch& stopwatch) {
    std::vector<double> samples_s;
    if (policy.fixed_warmup >= 0) {
        run_exactly(policy.fixed_warmup, stopwatch, samples_s);
        return samples_s;
    }
    do {
        const double newest_s = samples_s.empty() ? policy.time_limit_s : samples_s.back();
        stopwatch.batch(next_batch(newest_s, policy, warmup_window), samples_s);
    } while (!warmed_up(samples_s) && std::ssize(samples_s) < most_warmup &&
             stopwatch.elapsed_s() < policy.time_limit_s / 2.0);
    return samples_s;
}

std::vector<double> run_until_precise(const MeasurePolicy& policy, Stopwatch& stopwatch) {
    std::vector<double> samples_s;
    const auto wanted = [&] {
        const std::int64_t count = std::ssize(samples_s);
        if (count < policy.least_iterations) return policy.least_iterations - count;
        const bool enough =
            stopwatch.elapsed_s() >= policy.time_limit_s || precise_enough(samples_s, policy);
        return enough ? 0 : policy.most_iterations - count;
    };
    for (std::int64_t left = wanted(); left > 0; left = wanted()) {
        const double newest_s = samples_s.empty() ? policy.time_limit_s : samples_s.back();
        const std::int64_t most = std::min(left, most_in_batch);
        stopwatch.batch(next_batch(newest_s, policy, most), samples_s);
    }
    return samples_s;
}

}  // namespace

Measurement measure(Team& team, const MeasurePolicy& policy, const std::function<void()>& run) {
    policy.validate();
    Stopwatch stopwatch(team, run);
    Measurement result;
    result.warmup_iterations = std::ssize(warm_up(policy, stopwatch));
    if (policy.fixed_iterations > 0) {
        run_exactly(policy.fixed_iterations, stopwatch, result.samples_s);
    } else {
        result.samples_s = run_until_precise(policy, stopwatch);
    }
    result.median_s = median(result.samples_s);
    result.interval_s = median_interval(result.samples_s);
    return result;
}

}  // namespace shardstone::benchmarks
