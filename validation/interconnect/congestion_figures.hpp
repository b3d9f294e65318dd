// SPDX-License-Identifier: BSD-3-Clause
// What loads of the network do to pairs, from messages under them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/schema/congestion.hpp"
#include "results/schema/interconnect.hpp"

namespace shardstone::validation {

using CongestionSamples = std::span<const results::CongestionSampleRow>;
using RankPlaces = std::span<const results::RankPlaceRow>;

/// The load that messages of `load` are held against: the same pair alone. Empty for those that are
/// alone themselves.
std::string load_without(const std::string& load);

/// One row for each pair, direction and size under a load, in the order in which they were first
/// measured.
std::vector<results::CongestionRow> congestion_rows(CongestionSamples samples);

/// One row for each direction between the halves; none of fewer than four nodes.
std::vector<results::BisectionRow> bisection_rows(CongestionSamples samples, RankPlaces places);

/// Of each pass, the median time of a pair and size under a load over that of the same alone: so
/// what drifts does not count. One value for each pass, as messages of a pass share what the
/// machine did in it, and the median alone: an interval over messages took eight for independent
/// and was far too narrow.
std::vector<double> slowdowns_of(CongestionSamples samples, const results::CongestionRow& subject);

/// GB/s of all pairs at once, one for each pass; senders of the first half or of the second. None
/// of fewer than four nodes.
std::vector<double> bisection_rates(CongestionSamples samples, RankPlaces places,
                                    bool from_first_half);
/// "first to second half".
std::string direction_of(bool from_first_half);

}  // namespace shardstone::validation
