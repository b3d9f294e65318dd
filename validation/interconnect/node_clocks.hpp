// SPDX-License-Identifier: BSD-3-Clause
// Clocks of nodes, from readings of them to figures, limits and words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/schema/interconnect.hpp"
#include "results/schema/node_clocks.hpp"

namespace shardstone::validation {

/// One row for each rank whose clock was read, in rank order. A drift needs readings of two rounds.
std::vector<results::ClockRow> clock_rows(std::span<const results::ClockSampleRow> samples,
                                          std::span<const results::RankPlaceRow> places);

/// "rank 2 on cn02: at most 1.24 ms off, by the surest reading 1.23 ms ahead +- 0.01 ms, gains 12
/// +- 3 ppm".
std::string in_words(const results::ClockRow& row);

/// The most that one rank's clock may be off, either way, by each of its readings: as a reading may
/// be wrong by more than the offset, its error counts.
std::vector<double> offsets_of(std::span<const results::ClockSampleRow> samples, double rank);

/// Drifts of one rank's clock, one for each pair of readings of both rounds.
std::vector<double> drifts_of(std::span<const results::ClockSampleRow> samples, double rank);

}  // namespace shardstone::validation
