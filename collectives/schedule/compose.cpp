// SPDX-License-Identifier: BSD-3-Clause
// Programs embedded, chained, segmented, rotated, reversed, and folded to a power of two of ranks.
#include "collectives/schedule/compose.hpp"

#include <algorithm>
#include <bit>

namespace shardstone::collectives {

void embed(const RankProgram& program, const ProgramMapping& embedding,
           RankProgramBuilder& target) {
    for (const BlockTransfer& action : program.actions) {
        target.add({action.kind, embedding.channel(action.channel),
                    action.step + embedding.first_step, embedding.rank(action.peer),
                    embedding.blocks(action.blocks, action.channel)});
    }
}

RankProgram in_sequence(const RankProgram& first, int first_steps, const RankProgram& second) {
    RankProgramBuilder both(first.channels);
    embed(first, {}, both);
    ProgramMapping after;
    after.first_step = first_steps;
    embed(second, after, both);
    return both.build();
}

RankProgram segmented(const RankProgram& program, int segments) {
    const auto placed = [&](BlockRange range, BlockRange channel, int segment) {
        // Segment-major within a channel, so that a range of blocks stays a range.
        return BlockRange{
            segments * channel.first + segment * channel.count + range.first - channel.first,
            range.count};
    };
    std::vector<BlockRange> channels;
    for (const BlockRange channel : program.channels) {
        for (int s = 0; s < segments; ++s) channels.push_back(placed(channel, channel, s));
    }
    RankProgramBuilder all(channels);
    for (int s = 0; s < segments; ++s) {
        ProgramMapping place;
        place.channel = [=](int channel) { return channel * segments + s; };
        place.blocks = [&, s](BlockRange range, int channel) {
            return placed(range, program.channels[static_cast<std::size_t>(channel)], s);
        };
        embed(program, place, all);
    }
    return all.build();
}

RankProgram rotated(const RankProgram& program, int size, int root, bool blocks_by_rank) {
    RankProgramBuilder target(program.channels);
    for (BlockTransfer action : program.actions) {
        action.peer = (action.peer + root) % size;
        if (!blocks_by_rank) {
            target.add(action);
            continue;
        }
        const int base = program.channels[static_cast<std::size_t>(action.channel)].first;
        const BlockRange from = action.blocks;
        for (const BlockRange part : wrapped(from.first - base + root, from.count, size)) {
            action.blocks = {base + part.first, part.count};
            target.add(action);
        }
    }
    return target.build();
}

RankProgram backwards(const RankProgram& program, int steps, TransferKind receive) {
    RankProgramBuilder target(program.channels);
    for (BlockTransfer action : program.actions) {
        action.kind = action.kind == TransferKind::send ? receive : TransferKind::send;
        action.step = steps - 1 - action.step;
        target.add(action);
    }
    return target.build();
}

std::vector<BlockRange> wrapped(int first, int count, int size) {
    const int begin = first % size;
    const int before_end = std::min(count, size - begin);
    if (before_end == count) return {{begin, count}};
    return {{begin, before_end}, {0, count - before_end}};
}

int power_of_two_below(int size) {
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
}

Fold power_of_two_fold(int size, int rank) {
    const int core = power_of_two_below(size);
    if (rank >= core) return {rank - core, {}};
    if (rank + core < size) return {-1, {rank + core}};
    return {};
}

RankProgram fold_in(const Fold& fold, const std::vector<BlockRange>& channels) {
    RankProgramBuilder program(channels);
    for (int c = 0; c < static_cast<int>(channels.size()); ++c) {
        const BlockRange all = channels[static_cast<std::size_t>(c)];
        if (fold.partner >= 0) program.send(0, fold.partner, all, c);
        for (const int rank : fold.absorbed) program.receive_reduce(0, rank, all, c);
    }
    return program.build();
}

RankProgram fold_out(const Fold& fold, const std::vector<BlockRange>& channels) {
    RankProgramBuilder program(channels);
    for (int c = 0; c < static_cast<int>(channels.size()); ++c) {
        const BlockRange all = channels[static_cast<std::size_t>(c)];
        if (fold.partner >= 0) program.receive_replace(0, fold.partner, all, c);
        for (const int rank : fold.absorbed) program.send(0, rank, all, c);
    }
    return program.build();
}

}  // namespace shardstone::collectives
