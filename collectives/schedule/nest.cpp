// SPDX-License-Identifier: BSD-3-Clause
// Block and channel numbers for an algorithm between nodes that runs inside another within them.
#include "collectives/schedule/nest.hpp"

#include <utility>

namespace shardstone::collectives {

// The order of the blocks: outer channel, inner block, outer block within its channel. A range of
// inner blocks restricted to one outer channel is then a range, and so is a range of outer blocks
// within one inner block.
NestedBlocks::NestedBlocks(std::vector<BlockRange> inner, std::vector<BlockRange> outer)
    : inner_(std::move(inner)), outer_(std::move(outer)) {
    for (int i = 0; i < static_cast<int>(inner_.size()); ++i) {
        const BlockRange blocks = inner_[static_cast<std::size_t>(i)];
        channel_of_inner_block_.insert(channel_of_inner_block_.end(),
                                       static_cast<std::size_t>(blocks.count), i);
        for (int o = 0; o < outer_channels(); ++o) channels_.push_back(place(blocks, o));
    }
}

BlockRange NestedBlocks::place(BlockRange inner_blocks, int outer_channel) const {
    const BlockRange outer = outer_[static_cast<std::size_t>(outer_channel)];
    const int inner_total = inner_.back().end();
    return {inner_total * outer.first + inner_blocks.first * outer.count,
            inner_blocks.count * outer.count};
}

ProgramMapping NestedBlocks::of_inner(int outer_channel) const {
    ProgramMapping embedding;
    embedding.channel = [outer_channel, this](int inner) {
        return channel_index(inner, outer_channel);
    };
    embedding.blocks = [outer_channel, this](BlockRange range, int) {
        return place(range, outer_channel);
    };
    return embedding;
}

ProgramMapping NestedBlocks::of_outer(int shard) const {
    const int inner_channel = channel_of_inner_block_[static_cast<std::size_t>(shard)];
    ProgramMapping embedding;
    embedding.channel = [inner_channel, this](int outer) {
        return channel_index(inner_channel, outer);
    };
    embedding.blocks = [shard, this](BlockRange range, int outer) {
        const int first_of_channel = outer_[static_cast<std::size_t>(outer)].first;
        return BlockRange{place({shard, 1}, outer).first + range.first - first_of_channel,
                          range.count};
    };
    return embedding;
}

}  // namespace shardstone::collectives
