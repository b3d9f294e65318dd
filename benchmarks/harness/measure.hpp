// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "benchmarks/harness/laps.hpp"
#include "benchmarks/harness/stopping.hpp"
#include "collectives/cluster/communicator.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

struct Measurement {
    std::vector<double> samples_s;  ///< per iteration, by the policy's rule; all of them
    Laps laps;                      ///< the same iterations timed by all rules
    std::int64_t warmup_iterations = 0;
    double median_s = 0.0;
    double mean_s =
        0.0;  ///< mean, as printed by IMB and OSU; weighs slow samples, which the median does not
    std::optional<Interval> interval_s;   ///< 95 %, for the median
    std::optional<double> median_skew_s;  ///< nothing if members' clocks differ
};

/// The only way to time: synchronised start before every iteration (no blocking MPI call), each
/// rank's own clock around `run`. The start itself is not exact: ranks leave the start line one
/// after another, the more so the more of them share a core. Therefore, besides the maximum over
/// ranks of their own times, if all ranks have a common clock, the *skew* (first to last start) is
/// recorded separately from the time since the last start; MeasurePolicy::from selects which of the
/// two times counts. Collective: all ranks give the same policy and get the same Measurement.
///
/// `prepare`, if any, is called before each iteration's start, outside the timed part.
/// Warm-up runs until warmed_up() holds, for half the time limit or 100 iterations at most, and
/// once at least; its samples are not part of the measurement. Ranks exchange their times between
/// batches of iterations, not after each. Throws Error for an invalid policy.
Measurement measure(const collectives::Communicator& communicator, const MeasurePolicy& policy,
                    const std::function<void()>& run, const std::function<void()>& prepare = {});

}  // namespace shardstone::benchmarks
