// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

/// The blocks of two nested programs: every block of the inner one is cut into the blocks of the
/// outer one, and every pair of channels becomes a channel that again owns a contiguous range. The
/// embeddings hold references to this object.
class NestedBlocks {
  public:
    NestedBlocks(std::vector<BlockRange> inner, std::vector<BlockRange> outer);

    const std::vector<BlockRange>& channels() const noexcept { return channels_; }
    int outer_channels() const noexcept { return static_cast<int>(outer_.size()); }

    /// Part `outer_channel` of the inner program: its ranges, restricted to that channel's blocks.
    ProgramMapping of_inner(int outer_channel) const;
    /// The outer program run on the inner block `shard`.
    ProgramMapping of_outer(int shard) const;

  private:
    int channel_index(int inner, int outer) const { return inner * outer_channels() + outer; }
    BlockRange place(BlockRange inner_blocks, int outer_channel) const;

    std::vector<BlockRange> inner_;
    std::vector<BlockRange> outer_;
    std::vector<BlockRange> channels_;
    std::vector<int> channel_of_inner_block_;
};

}  // namespace shardstone::collectives
