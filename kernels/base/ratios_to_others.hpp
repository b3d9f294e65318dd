// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace shardstone {

/// Each value over the median (statistics.hpp) of all others: of two values their ratio, both ways.
/// Not a number of a single one. Unlike the ratio to the median of all, which is below 2 for two
/// positive values, it has no limit where the values are few.
std::vector<double> ratios_to_others(std::span<const double> values);

}  // namespace shardstone
