// SPDX-License-Identifier: BSD-3-Clause
// Ranks that stood still during a soak.
#pragma once

#include <vector>

#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

/// Without texts of times; see find_episodes() in episodes.hpp.
std::vector<results::EpisodeRow> silent_ranks(const InterconnectSamples& samples);

/// An episode of a rank: its subject, node and host.
results::EpisodeRow episode_of_rank(double rank, const std::vector<results::RankPlaceRow>& places);

}  // namespace shardstone::validation
