// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace shardstone {

/// Ratio of each value to the median (statistics.hpp) of all others: for two values their ratio,
/// both ways; NaN for a single one. Unlike the ratio to the median of all values, which is below 2
/// for two positive values, it is unbounded for few values.
std::vector<double> ratios_to_others(std::span<const double> values);

}  // namespace shardstone
