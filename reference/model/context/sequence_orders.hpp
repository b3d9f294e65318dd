// SPDX-License-Identifier: BSD-3-Clause
// How context parallelism shares out the positions of a sequence, and which of them see each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/model/sequence_split.hpp"

namespace shardstone::reference {

/// Rank r has even_share(length, ranks, r) positions that follow each other. Under the causal mask
/// the first rank has next to nothing to do, the last one twice the mean.
Positions block_positions(std::int64_t length, int ranks, int rank);

/// As many, but the first half of them rank by rank from the front, the second from the back, so
/// that of 2P equal pieces rank r has r and 2P - 1 - r, and all ranks the same number of pairs of
/// query and key (Dubey et al. 2024, "The Llama 3 Herd of Models", section 3.3.2). A rank with one
/// position has that of the first half.
Positions zigzag_positions(std::int64_t length, int ranks, int rank);

/// Queries at one range of a rank's positions and keys at one of another's, both by number, of
/// which every query sees some key.
struct VisiblePair {
    std::size_t queries = 0;
    std::size_t keys = 0;
    bool causal = false;  ///< they are the same positions; otherwise all keys come before

    bool operator==(const VisiblePair&) const = default;
};

/// What the causal mask leaves of queries at `own` positions and keys at `other`'s, which are the
/// same or have none in common.
std::vector<VisiblePair> visible_pairs(const Positions& own, const Positions& other);

/// How many pairs of query and key that is; of n positions with themselves n^2 / 2, as counts of
/// FLOP have it.
double visible_count(const Positions& own, const Positions& other);

}  // namespace shardstone::reference
