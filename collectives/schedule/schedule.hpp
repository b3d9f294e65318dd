// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/topology.hpp"

namespace shardstone::collectives {

/// A contiguous range of the blocks of a vector.
struct BlockRange {
    int first = 0;
    int count = 1;

    int end() const noexcept { return first + count; }
    bool overlaps(BlockRange other) const noexcept {
        return first < other.end() && other.first < end();
    }
    bool contains(BlockRange other) const noexcept {
        return first <= other.first && other.end() <= end();
    }
    bool operator==(const BlockRange&) const = default;
};

enum class TransferKind : std::uint8_t {
    send,             ///< send these blocks to the peer
    receive_reduce,   ///< receive the peer's blocks and reduce them into mine
    receive_replace,  ///< receive the peer's blocks, which replace mine
};

/// One message, or a part of one, seen from one of its two ends.
struct BlockTransfer {
    TransferKind kind = TransferKind::send;
    int channel = 0;
    int step = 0;
    int peer = 0;
    BlockRange blocks;

    bool operator==(const BlockTransfer&) const = default;
};

/// The program of one rank in a collective: plain data.
///
/// A vector is cut into blocks(); each channel owns a contiguous range of them, and together the
/// channels own them all. Channels run independently of each other: pipelining is the same steps
/// in several channels over smaller blocks, a double tree is two trees in two channels.
///
/// Within a channel the steps run in order, and a step is a round of the whole job: the two ends of
/// a message have the same channel and step, so a schedule whose messages all match cannot deadlock
/// (the ranks at the lowest unfinished step always find their partners there). All actions of one
/// step run concurrently: a send reads the state at the start of the step; the data of a
/// receive_reduce go to scratch first and are reduced in the order of the actions; a
/// receive_replace must not touch a block that any other action touches in that step. All data that
/// one rank sends to another in one step of a channel form one message; if that takes several
/// actions, they match in order at both ends. A rank may be idle in a step.
struct RankProgram {
    std::vector<BlockRange> channels;
    std::vector<BlockTransfer> actions;  ///< sorted by channel, then step

    int blocks() const noexcept;
};

struct Operation;

/// The programs of all ranks.
struct Schedule {
    const Operation* operation = nullptr;  ///< operation to be achieved
    int root = 0;                          ///< if the operation has one
    Topology topology;
    std::vector<RankProgram> programs;
};

/// Collects the actions of one rank; they may come in any order of channels and steps.
class RankProgramBuilder {
  public:
    /// One channel that owns `blocks` blocks.
    explicit RankProgramBuilder(int blocks);
    explicit RankProgramBuilder(std::vector<BlockRange> channels);

    void send(int step, int peer, BlockRange blocks, int channel = 0);
    void receive_reduce(int step, int peer, BlockRange blocks, int channel = 0);
    void receive_replace(int step, int peer, BlockRange blocks, int channel = 0);
    void add(const BlockTransfer& action);

    /// The program; the builder must not be used afterwards.
    RankProgram build();

  private:
    RankProgram program_;
};

/// The steps of one channel: actions[begin, end) all have the same channel and step.
/// Calls `visit(span of actions)` for each step in order.
template <class Visit>
void for_each_step(const RankProgram& program, Visit&& visit) {
    const std::span<const BlockTransfer> all(program.actions);
    for (std::size_t begin = 0; begin < all.size();) {
        std::size_t end = begin + 1;
        while (end < all.size() && all[end].channel == all[begin].channel &&
               all[end].step == all[begin].step) {
            ++end;
        }
        visit(all.subspan(begin, end - begin));
        begin = end;
    }
}

/// Partition of `count` elements into blocks: whole grains, distributed evenly, with the first
/// blocks one grain longer if they do not divide evenly. Later blocks are empty when there are
/// fewer grains than blocks, and an empty block is never sent.
class BlockPartition {
  public:
    BlockPartition(std::int64_t count, int blocks, std::int64_t grain);

    /// First element of `block`; begin(blocks) is the count.
    std::int64_t begin(int block) const noexcept;
    std::int64_t elements(BlockRange range) const noexcept {
        return begin(range.end()) - begin(range.first);
    }

  private:
    std::int64_t count_;
    std::int64_t grain_;
    std::int64_t grains_per_block_;
    std::int64_t longer_blocks_;
};

/// One more than the last step in any channel; 0 for a program without actions.
int steps_of(const RankProgram& program);

}  // namespace shardstone::collectives
