// SPDX-License-Identifier: BSD-3-Clause
// Times of a soak in which messages of a node, its direction or a pair were slow.
#pragma once

#include <vector>

#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

/// Of what is slow for less than this at once, a step of a training notices nothing, ...
inline constexpr double brief_s = 1.0;
/// ... unless a subject is, in all its brief episodes together, for this share of the soak and as
/// long as most of the cluster was: whatever slows all of it slows a part alone now and then.
inline constexpr double seldom = 0.01;

/// Without texts of times; see find_episodes() in episodes.hpp.
std::vector<results::EpisodeRow> slow_episodes(const InterconnectSamples& samples);

}  // namespace shardstone::validation
