// SPDX-License-Identifier: BSD-3-Clause
// The timing loop: warm-up until steady, then samples until the median is precise or time is up.
#include "benchmarks/harness/measure.hpp"

#include <algorithm>

namespace shardstone::benchmarks {

namespace {

constexpr std::int64_t most_warmup = 100;

/// Iterations of one kind of work, by one policy.
class Run {
  public:
    Run(Stopwatch& stopwatch, const MeasurePolicy& policy, const Work& work)
        : stopwatch_(stopwatch), policy_(policy), work_(work) {}

    Laps exactly(std::int64_t iterations) {
        Laps laps;
        for (std::int64_t left = iterations; left > 0;) {
            const std::int64_t batch = std::min(left, Stopwatch::most_in_batch);
            laps.append(stopwatch_.batch(batch, work_));
            left -= batch;
        }
        return laps;
    }

    Laps until_warm() {
        Laps laps;
        const auto& times_s = [&]() -> const auto& {
            return laps.times_s(policy_.from);
        };
        do {
            append_batch(laps, warmup_window);
        } while (!warmed_up(times_s()) && std::ssize(times_s()) < most_warmup &&
                 stopwatch_.elapsed_s() < policy_.time_limit_s / 2.0);
        return laps;
    }

    Laps until_precise() {
        Laps laps;
        const auto wanted = [&] {
            const auto& times_s = laps.times_s(policy_.from);
            const std::int64_t count = std::ssize(times_s);
            if (count < policy_.least_iterations) return policy_.least_iterations - count;
            const bool enough =
                stopwatch_.elapsed_s() >= policy_.time_limit_s || precise_enough(times_s, policy_);
            return enough ? 0 : policy_.most_iterations - count;
        };
        for (std::int64_t left = wanted(); left > 0; left = wanted()) {
            append_batch(laps, std::min(left, Stopwatch::most_in_batch));
        }
        return laps;
    }

  private:
    /// At most so many more iterations, as many as the pace of the newest allows.
    void append_batch(Laps& laps, std::int64_t most) {
        const auto& times_s = laps.times_s(policy_.from);
        const double newest_s = times_s.empty() ? policy_.time_limit_s : times_s.back();
        laps.append(stopwatch_.batch(next_batch(newest_s, policy_, most), work_));
    }

    Stopwatch& stopwatch_;
    const MeasurePolicy& policy_;
    const Work& work_;
};

}  // namespace

Measurement measure(Team& team, const MeasurePolicy& policy, const std::function<void()>& run,
                    const std::function<void()>& prepare) {
    policy.validate();
    Stopwatch stopwatch(team);
    const Work work{run, prepare};
    Run runs(stopwatch, policy, work);
    const Laps warmup =
        policy.fixed_warmup >= 0 ? runs.exactly(policy.fixed_warmup) : runs.until_warm();
    Measurement result;
    result.warmup_iterations = std::ssize(warmup.since_own_start_s);
    result.laps =
        policy.fixed_iterations > 0 ? runs.exactly(policy.fixed_iterations) : runs.until_precise();
    result.samples_s = result.laps.times_s(policy.from);
    result.median_s = median(result.samples_s);
    result.mean_s = mean(result.samples_s);
    result.interval_s = median_interval(result.samples_s);
    if (!result.laps.skew_s.empty()) result.median_skew_s = median(result.laps.skew_s);
    return result;
}

}  // namespace shardstone::benchmarks
