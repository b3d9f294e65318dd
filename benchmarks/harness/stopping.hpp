// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

/// Start of an iteration's time. If members of the team start at different moments, one that needs
/// the others waits for late ones: that wait is included in its own time, but not in the time since
/// the last start. Work that each member does alone is timed from its own start.
enum class TimeFrom : std::uint8_t {
    own_start,   ///< each member's own; the maximum over members
    last_start,  ///< the last member's; own_start if the members have no common clock
};

/// Stopping rule of a measurement. Decided from numbers that are equal on all ranks, and thus
/// identically on all.
struct MeasurePolicy {
    std::int64_t fixed_iterations = 0;  ///< > 0: exactly this many (nccl-tests' -n)
    std::int64_t fixed_warmup = -1;  ///< >= 0: exactly this many (nccl-tests' -w); else by the data
    double relative_precision = 0.05;  ///< stop once interval width / median is below this ...
    double least_time_s = 4e-3;  ///< ... for samples of at least this total time, since ranks that
                                 ///< take turns, and clocks, need milliseconds to settle
    double time_limit_s = 1.0;   ///< ... or after this time, including warm-up
    std::int64_t least_iterations = 10;  ///< taken even beyond the time limit
    std::int64_t most_iterations = 1000;
    TimeFrom from = TimeFrom::own_start;

    /// Throws Error naming an invalid value: negative counts, least above most, a precision or
    /// limit that is not positive.
    void validate() const;
};

/// Iterations in each of the two windows compared by the warm-up rule.
inline constexpr auto warmup_window = static_cast<std::int64_t>(steady_window);

/// True once the newest warmup_window samples look_alike() with the ones before them. A series that
/// still falls (caches, page faults) or still rises (clock frequency) fails.
bool warmed_up(std::span<const double> samples_s);

/// True if the total time of the samples is at least that of the policy, and the 95 % interval for
/// the median is narrower than it requires.
bool precise_enough(std::span<const double> samples_s, const MeasurePolicy& policy);

/// Number of iterations before the ranks next compare their clocks: about a tenth of the time limit
/// at the pace of the newest sample, between 1 and `most`. Rare enough to disturb little, frequent
/// enough to overshoot the limit by at most a tenth.
std::int64_t next_batch(double newest_s, const MeasurePolicy& policy, std::int64_t most);

}  // namespace shardstone::benchmarks
