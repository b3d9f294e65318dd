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
    std::vector<double> samples_s;  ///< per iteration, as the policy has it; all of them
    Laps laps;                      ///< the same iterations in every way they were timed
    std::int64_t warmup_iterations = 0;
    double median_s = 0.0;
    double mean_s =
        0.0;  ///< what IMB and OSU print; slow samples weigh in it as they do not in the median
    std::optional<Interval> interval_s;   ///< 95 %, for the median
    std::optional<double> median_skew_s;  ///< nothing where members' clocks differ
};

/// The only way to time: synchronised start before every iteration (no blocking MPI call), each
/// rank's own clock around `run`. The start itself is not exact: ranks come off the line one after
/// another, the more so the more of them share a core. So besides the maximum over ranks of their
/// own times, where all ranks have one clock, the *skew* (first to last start) is kept apart from
/// the time since the last start; MeasurePolicy::from says which of the two times counts.
/// Collective: all ranks give the same policy and get the same Measurement.
///
/// `prepare`, if any, is called before each iteration's start, outside the time.
/// Warm-up runs until warmed_up() holds, for half the time limit or 100 iterations at most, and
/// once at least; its samples are not part of the measurement. Ranks exchange their times between
/// batches of iterations, not after each. Throws Error for a policy that makes no sense.
Measurement measure(const collectives::Communicator& communicator, const MeasurePolicy& policy,
                    const std::function<void()>& run, const std::function<void()>& prepare = {});

}  // namespace shardstone::benchmarks
