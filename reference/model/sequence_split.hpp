// SPDX-License-Identifier: BSD-3-Clause
// The positions of every sequence that a rank has.
#pragma once

#include <cstdint>
#include <vector>

namespace shardstone::reference {

/// Consecutive positions of a sequence.
struct PositionRange {
    std::int64_t first = 0;
    std::int64_t count = 0;

    std::int64_t end() const { return first + count; }
    bool operator==(const PositionRange&) const = default;
};

/// The positions of a rank, in the order of its rows, which is ascending.
using Positions = std::vector<PositionRange>;

std::int64_t count_of(const Positions& positions);
/// The individual positions in order.
std::vector<std::int64_t> listed(const Positions& positions);

/// [0, length), regardless of the ranks.
Positions all_positions(std::int64_t length, int ranks, int rank);

/// One of the ranks that share the positions of every sequence. By default it is alone.
struct SequenceSplit {
    int rank = 0;
    int ranks = 1;
    /// The positions of one of `ranks` ranks: even_share(length, ranks, rank) of them, with no
    /// range longer than the longest of rank 0.
    Positions (*positions_of)(std::int64_t length, int ranks, int rank) = all_positions;

    Positions positions(std::int64_t length) const { return positions_of(length, ranks, rank); }
    std::int64_t count(std::int64_t length) const { return count_of(positions(length)); }
};

}  // namespace shardstone::reference
