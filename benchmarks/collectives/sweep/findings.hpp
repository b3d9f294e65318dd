// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/collectives/sweep/point.hpp"

namespace shardstone::benchmarks {

/// How far a time is from itself: the ratio's median and the range of 95 % of the rounds.
std::string noise_line(const NoiseFloor& floor);

/// The best algorithm at each size against the library's own, where both were measured, whether
/// what lies between them is more than noise, where that was measured, and the checks that failed.
std::string findings(const Sweep& sweep);

}  // namespace shardstone::benchmarks
