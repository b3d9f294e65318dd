// SPDX-License-Identifier: BSD-3-Clause
// Times of a soak in which messages of a node, its direction or a pair were slow.
#pragma once

#include <vector>

#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

/// Without texts of times; see find_episodes() in episodes.hpp.
std::vector<results::EpisodeRow> slow_episodes(const InterconnectSamples& samples);

}  // namespace shardstone::validation
