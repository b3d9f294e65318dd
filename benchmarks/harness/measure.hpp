// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "benchmarks/harness/statistics.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// When measuring stops. Decided from numbers that are equal on all ranks, so identically on all.
struct MeasurePolicy {
    std::int64_t fixed_iterations = 0;  ///< > 0: exactly so many (nccl-tests' -n)
    std::int64_t fixed_warmup = -1;    ///< >= 0: exactly so many (nccl-tests' -w); else by the data
    double relative_precision = 0.05;  ///< stop once interval width / median is below this ...
    double time_limit_s = 1.0;         ///< ... or this much has been spent on one point
    std::int64_t least_iterations = 10;
    std::int64_t most_iterations = 1000;
};

struct Measurement {
    std::vector<double> samples_s;  ///< per iteration, the maximum over ranks; all of them
    std::int64_t warmup_iterations = 0;
    double median_s = 0.0;
    std::optional<Interval> interval_s;  ///< 95 %, for the median
};

/// The only way to time: synchronised start before every iteration (no blocking MPI call), each
/// rank's own clock around `run`, time = maximum over ranks. Collective.
Measurement measure(const collectives::Communicator& communicator, const MeasurePolicy& policy,
                    const std::function<void()>& run);

}  // namespace shardstone::benchmarks
