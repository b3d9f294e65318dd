// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "benchmarks/harness/laps.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

/// Ratios of the times of two contenders over the rounds.
struct RatioSpread {
    std::vector<double> ratios;  ///< per round: second's median time over the first's
    double median = 0.0;
    Interval range;  ///< minimum to maximum

    /// Whether two times in this ratio, or its inverse, could be of equal contenders.
    bool covers(double ratio) const;
};

/// Number of rounds whose minimum and maximum ratio span 95 % of all future rounds: a new value is
/// equally likely to fall into any of the n + 1 gaps between n old ones, hence within their range
/// with probability (n - 1) / (n + 1) (distribution-free, H. A. David, "Order Statistics", 2.6).
constexpr std::int64_t rounds_for_95_percent = 39;

/// Measures two contenders in turns, round by round with `iterations` each; the order is reversed
/// in every round, so that drift of the machine affects both equally. Collective. Rounds and
/// iterations are positive; iterations at most Stopwatch::most_in_batch.
RatioSpread compare_interleaved(Team& team, TimeFrom from, std::int64_t rounds,
                                std::int64_t iterations, const Work& first, const Work& second);

}  // namespace shardstone::benchmarks
