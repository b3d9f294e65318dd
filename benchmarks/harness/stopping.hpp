// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

/// What an iteration's time counts from. Where members of the team start at different moments, one
/// that needs the others waits for the late: that wait is in its own time, not in the time since
/// the last start. Work that each does alone is timed by its own start.
enum class TimeFrom : std::uint8_t {
    own_start,   ///< each member's own; the maximum over members
    last_start,  ///< the last member's; own_start where the members have no common clock
};

/// When measuring stops. Decided from numbers that are equal on all ranks, so identically on all.
struct MeasurePolicy {
    std::int64_t fixed_iterations = 0;  ///< > 0: exactly so many (nccl-tests' -n)
    std::int64_t fixed_warmup = -1;    ///< >= 0: exactly so many (nccl-tests' -w); else by the data
    double relative_precision = 0.05;  ///< stop once interval width / median is below this ...
    double least_time_s = 4e-3;        ///< ... of samples that took so long together, since ranks
                                       ///< that take turns, and clocks, need milliseconds to settle
    double time_limit_s = 1.0;         ///< ... or this much has been spent, warm-up included
    std::int64_t least_iterations = 10;  ///< taken even beyond the time limit
    std::int64_t most_iterations = 1000;
    TimeFrom from = TimeFrom::own_start;

    /// Throws Error naming a value that makes no sense: negative counts, least above most, a
    /// precision or limit that is not positive.
    void validate() const;
};

/// Iterations in one of the two windows that the warm-up rule compares.
inline constexpr auto warmup_window = static_cast<std::int64_t>(steady_window);

/// True once the newest warmup_window samples look_alike() with the ones before them. A series that
/// still falls (caches, page faults) or still rises (clock frequency) fails.
bool warmed_up(std::span<const double> samples_s);

/// True when the samples took as long together as the policy asks, and the 95 % interval for the
/// median is narrower than it asks.
bool precise_enough(std::span<const double> samples_s, const MeasurePolicy& policy);

/// How many iterations to run before the ranks next compare their clocks: about a tenth of the
/// time limit at the pace of the newest sample, between 1 and `most`. Rarely enough to disturb
/// little, often enough to overshoot the limit by a tenth at most.
std::int64_t next_batch(double newest_s, const MeasurePolicy& policy, std::int64_t most);

}  // namespace shardstone::benchmarks
