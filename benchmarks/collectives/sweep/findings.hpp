// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/collectives/sweep/point.hpp"

namespace shardstone::benchmarks {

/// Spread of a time against itself: the ratio's median and the range of 95 % of the rounds.
std::string noise_line(const NoiseFloor& floor);

/// The best algorithm at each size against the library's own, if both were measured, whether the
/// difference exceeds the noise, if that was measured, and the failed checks.
std::string findings(const Sweep& sweep);

}  // namespace shardstone::benchmarks
