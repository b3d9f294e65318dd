// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "benchmarks/harness/statistics.hpp"
#include "benchmarks/harness/stopping.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

struct Measurement {
    std::vector<double> samples_s;  ///< per iteration, the maximum over ranks; all of them
    std::int64_t warmup_iterations = 0;
    double median_s = 0.0;
    std::optional<Interval> interval_s;  ///< 95 %, for the median
};

/// The only way to time: synchronised start before every iteration (no blocking MPI call), each
/// rank's own clock around `run`, time = maximum over ranks. Collective: all ranks give the same
/// policy and get the same Measurement.
///
/// Warm-up runs until warmed_up() holds, for half the time limit or 100 iterations at most, and
/// once at least; its samples are not part of the measurement. Ranks exchange their times between
/// batches of iterations, not after each. Throws Error for a policy that makes no sense.
Measurement measure(const collectives::Communicator& communicator, const MeasurePolicy& policy,
                    const std::function<void()>& run);

}  // namespace shardstone::benchmarks
