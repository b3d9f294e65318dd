// SPDX-License-Identifier: BSD-3-Clause
// Figures of pairs and paths from the samples of pair tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "results/schema/interconnect.hpp"
#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

/// The places of ranks, for the inference.
std::vector<Place> places_of(std::span<const results::RankPlaceRow> rows);

/// One-way times of all tests, each with those of all passes in order: half of the time to the
/// acknowledgement for the smallest size of a test; that, less half of the smallest size's in the
/// same pass, for the others (at least half of it, should chance have made it short).
std::vector<PairTime> pair_times_of(std::span<const results::PairSampleRow> rows);

/// A further test of a pair, one at a time, that was tested with others, too: of few samples and
/// under other conditions.
bool is_further(const PairTime& time, std::span<const PairTime> times);

/// Whether ranks share cores: a short message then takes as long as its ends wait for one.
bool are_cores_shared(std::span<const results::RankPlaceRow> ranks);

/// Sizes by which parts of the network are suspected: the largest and, unless cores are shared, the
/// smallest.
std::vector<std::int64_t> sizes_to_judge(std::span<const PairTime> times,
                                         std::span<const results::RankPlaceRow> ranks);

/// Those of one size by which parts of the network are suspected: all but those inside nodes whose
/// ranks share cores.
std::vector<PairTime> times_to_judge(std::span<const PairTime> times,
                                     std::span<const results::RankPlaceRow> ranks,
                                     std::int64_t size_bytes);

/// "between nodes": what messages of a path cross. Where no leaf is known, all pairs of nodes are
/// alike.
std::string where_of(Path path, std::span<const Place> places);

std::vector<results::PairRow> pair_rows(std::span<const Place> places,
                                        std::span<const PairTime> times);
std::vector<results::PathRow> path_rows(std::span<const Place> places,
                                        std::span<const PairTime> times);

}  // namespace shardstone::validation
