// SPDX-License-Identifier: BSD-3-Clause
// All pairs of a set of ends, as many at a time as there can be.
#pragma once

#include <utility>
#include <vector>

namespace shardstone::validation {

/// Pairs (first < second) of 0 .. count-1 that are tested at the same time.
using RoundOfPairs = std::vector<std::pair<int, int>>;

/// Every pair exactly once, no end twice in a round, by the circle method (one end stays, the
/// others move on by a place per round; Kirkman 1847): count - 1 rounds of count / 2 pairs for an
/// even count; for an odd one, count rounds, in each of which one end rests. None for count < 2.
std::vector<RoundOfPairs> round_robin(int count);

}  // namespace shardstone::validation
