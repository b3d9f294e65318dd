// SPDX-License-Identifier: BSD-3-Clause
// Clocks of nodes, from readings of them to figures, limits and words.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/statistics.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/node_clocks.hpp"

namespace shardstone::validation {

using ClockSamples = std::span<const results::ClockSampleRow>;

/// One row for each rank whose clock was read, in rank order. A drift needs readings of two rounds.
std::vector<results::ClockRow> clock_rows(ClockSamples samples,
                                          std::span<const results::RankPlaceRow> places);

/// A figure, and the bounds between which it surely is: no interval of any confidence.
struct Bounded {
    double value = 0.0;
    Interval interval = {};
};

/// How far one rank's clock is off, either way, at the worse of both rounds. A reading is right
/// within half of its exchange (Cristian 1989), whatever disturbed that, so that the shortest
/// exchange of a round bounds the offset at that time. The rank's clock must have been read.
Bounded offset_of(ClockSamples samples, double rank);

/// What one rank's clock gains or loses in a second, from the surest reading of the first round to
/// that of the last; nothing if there was one round.
std::optional<Bounded> drift_of(ClockSamples samples, double rank);

/// By how much a clock is surely off at the end, and how much it surely gains or loses; 0 where
/// readings are not that sure.
double least_offset_s(const results::ClockRow& row);
double least_drift(const results::ClockRow& row);

/// "rank 2 on cn02: 1.23 ms ahead +- 10.0 us, gains 12 +- 3 ppm".
std::string in_words(const results::ClockRow& row);

/// Of many nodes the one that is surely furthest off, and the one that surely drifts most, if that
/// is another; what noise alone makes of a reading names no node. Rows not empty.
std::string clocks_in_words(std::span<const results::ClockRow> rows);

}  // namespace shardstone::validation
