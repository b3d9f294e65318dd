// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "benchmarks/harness/laps.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

/// How the times of two contenders compare from one round to the next.
struct RatioSpread {
    std::vector<double> ratios;  ///< per round: second's median time over the first's
    double median = 0.0;
    Interval range;  ///< from the least to the greatest

    /// Whether two times in this ratio, or its inverse, could be those of equals.
    bool covers(double ratio) const;
};

/// Rounds whose least and greatest ratio span 95 % of all rounds to come: a new value is equally
/// likely to fall into any of the n + 1 gaps between n old ones, hence within their range with
/// (n - 1) / (n + 1) (distribution-free, H. A. David, "Order Statistics", 2.6).
constexpr std::int64_t rounds_for_95_percent = 39;

/// Measures two contenders in turns, round by round with so many iterations each, whoever went
/// second going first in the next round, so that drift of the machine meets both alike. Collective.
/// Rounds and iterations are positive; iterations at most Stopwatch::most_in_batch.
RatioSpread compare_interleaved(Team& team, TimeFrom from, std::int64_t rounds,
                                std::int64_t iterations, const Work& first, const Work& second);

}  // namespace shardstone::benchmarks
