// SPDX-License-Identifier: BSD-3-Clause
// Distribution of positions in context parallelism, and which of them see each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/model/sequence_split.hpp"

namespace shardstone::reference {

/// Rank r has even_share(length, ranks, r) consecutive positions. Under the causal mask the first
/// rank has almost no work, the last one twice the mean.
Positions block_positions(std::int64_t length, int ranks, int rank);

/// The same numbers of positions, but the first half of them rank by rank from the front, the
/// second from the back, so that of 2P equal pieces rank r has r and 2P - 1 - r, and all ranks have
/// the same number of pairs of query and key (Dubey et al. 2024, "The Llama 3 Herd of Models",
/// section 3.3.2). If a rank has one position, it is that of the first half.
Positions zigzag_positions(std::int64_t length, int ranks, int rank);

/// Queries at one range of a rank's positions and keys at one of another's, both by index, such
/// that every query sees some key.
struct VisiblePair {
    std::size_t queries = 0;
    std::size_t keys = 0;
    bool causal = false;  ///< the positions are the same; otherwise all keys precede them

    bool operator==(const VisiblePair&) const = default;
};

/// The pairs not masked, of queries at `own` positions and keys at `other`'s; the two are equal or
/// disjoint.
std::vector<VisiblePair> visible_pairs(const Positions& own, const Positions& other);

/// The number of pairs of query and key; for n positions with themselves n^2 / 2, the convention of
/// FLOP counts.
double visible_count(const Positions& own, const Positions& other);

}  // namespace shardstone::reference
