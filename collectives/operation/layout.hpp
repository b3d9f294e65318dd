// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A block is cut at multiples of this many bytes of the vector, one cache line: neighbouring
/// blocks never share a line, and a vector of a line or less stays in one piece, which spares the
/// messages that would each carry a few bytes of it.
constexpr std::int64_t block_grain_bytes = 64;

/// The pieces of memory that a rank's blocks are in.
enum class Region : std::uint8_t {
    vector,  ///< the whole vector
    input,   ///< where blocks of input and output differ
    output,
    scratch,
};

/// The blocks that an operation itself speaks of, among `size` ranks: those of a channel where the
/// algorithm has not cut the vector further.
int natural_blocks(Sharing sharing, int size);

/// Where a block is, in elements.
struct Extent {
    Region region = Region::vector;
    std::int64_t begin = 0;
    std::int64_t count = 0;
};

/// Where the blocks of every rank are, for data of given lengths. A channel holds a part of every
/// share; parts are as even as whole cache lines allow.
class BlockLayout {
  public:
    /// `channels` are those of the programs. Throws Error when the shares do not fit the operation
    /// or the vector. Local.
    BlockLayout(const CollectiveSpec& spec, Sharing sharing,
                const std::vector<BlockRange>& channels, int size);

    Extent at(int rank, int block) const;

    /// Whether every block is at the same place on every rank.
    bool same_on_all_ranks() const { return !moves_data(sharing_); }

    /// Elements of all blocks of the range.
    std::int64_t elements(int rank, BlockRange range) const;

    /// From the first to the last element of this rank's that `content` (Operation::before, after)
    /// has something to say of: what a caller who is not in place hands in or gets. Its region is
    /// that of the vector, or else the input's before and the output's after.
    using ContentOf = std::function<Content(const RankRole&, int block)>;
    Extent span_of(const ContentOf& content, const RankRole& role) const;

    /// The length of a region on a rank.
    std::int64_t length(int rank, Region region) const;

    /// The share of the vector that is `rank`'s, or what `from` sends `rank`, without regard to
    /// channels.
    std::int64_t share_begin(int rank) const;
    std::int64_t share(int rank) const { return share_begin(rank + 1) - share_begin(rank); }
    std::int64_t share(int from, int to) const;

  private:
    Extent part_of(std::int64_t begin, std::int64_t count, std::size_t part) const;
    Extent of_pair(int rank, int place, std::size_t part) const;
    std::int64_t input_begin(int rank, int to) const;
    std::int64_t output_begin(int rank, int from) const;

    CollectiveSpec spec_;
    Sharing sharing_;
    std::vector<BlockRange> channels_;
    std::vector<int> channel_of_block_;
    int size_;
    std::int64_t grain_;
    BlockPartition whole_;
    BlockPartition even_shares_;
    std::vector<std::int64_t> share_ends_;  ///< sums of the given shares
};

/// Elements that `rank` sends in its program.
std::int64_t elements_sent(const RankProgram& program, const BlockLayout& layout, int rank);

}  // namespace shardstone::collectives
