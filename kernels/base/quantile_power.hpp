// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace shardstone {

/// Places of the ends of an interval among sorted samples, counted from 1; 0 and one more than
/// there are, for no end.
struct IntervalEnds {
    std::size_t low = 0;
    std::size_t high = 0;
};

/// Those of quantile_interval() (statistics.hpp) of so many samples.
IntervalEnds quantile_interval_ends(std::size_t count, double p, double confidence);

/// Probability that this interval of `count` samples lies on one side of a limit (either), if each
/// sample is below it with probability `share_below`.
double quantile_power(std::size_t count, double p, double share_below, double confidence);

}  // namespace shardstone
