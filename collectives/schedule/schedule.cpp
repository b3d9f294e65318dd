// SPDX-License-Identifier: BSD-3-Clause
// A rank's program sorted by channel and step, and a vector cut into even blocks of whole grains.
#include "collectives/schedule/schedule.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace shardstone::collectives {

int RankProgram::blocks() const noexcept {
    int total = 0;
    for (const BlockRange owned : channels) total += owned.count;
    return total;
}

RankProgramBuilder::RankProgramBuilder(int blocks)
    : RankProgramBuilder(std::vector<BlockRange>{BlockRange{0, blocks}}) {}

RankProgramBuilder::RankProgramBuilder(std::vector<BlockRange> channels) {
    program_.channels = std::move(channels);
}

void RankProgramBuilder::send(int step, int peer, BlockRange blocks, int channel) {
    add({TransferKind::send, channel, step, peer, blocks});
}

void RankProgramBuilder::receive_reduce(int step, int peer, BlockRange blocks, int channel) {
    add({TransferKind::receive_reduce, channel, step, peer, blocks});
}

void RankProgramBuilder::receive_replace(int step, int peer, BlockRange blocks, int channel) {
    add({TransferKind::receive_replace, channel, step, peer, blocks});
}

void RankProgramBuilder::add(const BlockTransfer& action) {
    program_.actions.push_back(action);
}

RankProgram RankProgramBuilder::build() {
    const auto place = [](const BlockTransfer& action) {
        return std::tuple(action.channel, action.step);
    };
    if (!std::ranges::is_sorted(program_.actions, {}, place)) {
        // Stable: the order within a step decides which messages match and the order of additions.
        std::ranges::stable_sort(program_.actions, {}, place);
    }
    return std::move(program_);
}

BlockPartition::BlockPartition(std::int64_t count, int blocks, std::int64_t grain)
    : count_(count), grain_(grain) {
    const std::int64_t grains = (count + grain - 1) / grain;
    grains_per_block_ = grains / blocks;
    longer_blocks_ = grains % blocks;
}

std::int64_t BlockPartition::begin(int block) const noexcept {
    const std::int64_t grains =
        block * grains_per_block_ + std::min<std::int64_t>(block, longer_blocks_);
    return std::min(count_, grains * grain_);
}

int steps_of(const RankProgram& program) {
    int steps = 0;
    for (const BlockTransfer& action : program.actions) steps = std::max(steps, action.step + 1);
    return steps;
}

}  // namespace shardstone::collectives
