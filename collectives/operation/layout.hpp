// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// Blocks are cut at multiples of this many bytes of the vector, one cache line: neighbouring
/// blocks never share a line, and a vector of at most one line is not cut, which avoids messages of
/// a few bytes each.
constexpr std::int64_t block_grain_bytes = 64;

/// Memory regions of a rank's blocks.
enum class Region : std::uint8_t {
    vector,  ///< the whole vector
    input,   ///< if blocks of input and output differ
    output,
    scratch,
};

/// The blocks of the operation itself among `size` ranks: those of a channel if the algorithm has
/// not cut the vector further.
int natural_blocks(Sharing sharing, int size);

/// Location of a block, in elements.
struct Extent {
    Region region = Region::vector;
    std::int64_t begin = 0;
    std::int64_t count = 0;
};

/// Locations of the blocks of every rank, for data of given lengths. A channel holds a part of
/// every share; parts are as even as whole cache lines allow.
class BlockLayout {
  public:
    /// `channels` are those of the programs. Throws Error when the shares do not fit the operation
    /// or the vector. Local.
    BlockLayout(const CollectiveSpec& spec, Sharing sharing,
                const std::vector<BlockRange>& channels, int size);

    Extent at(int rank, int block) const;

    /// Whether every block has the same offset on every rank.
    bool same_on_all_ranks() const { return !moves_data(sharing_); }

    /// Elements of all blocks of the range.
    std::int64_t elements(int rank, BlockRange range) const;

    /// The range from the first to the last element of this rank that `content` (Operation::before,
    /// after) defines: the data that an out-of-place caller passes in or receives. Its region is
    /// that of the vector, or else of the input before and of the output after.
    using ContentOf = std::function<Content(const RankRole&, int block)>;
    Extent span_of(const ContentOf& content, const RankRole& role) const;

    /// The length of a region on a rank.
    std::int64_t length(int rank, Region region) const;

    /// The share of the vector that belongs to `rank`, or the data that `from` sends to `rank`,
    /// regardless of channels.
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
