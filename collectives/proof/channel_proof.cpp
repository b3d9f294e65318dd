// SPDX-License-Identifier: BSD-3-Clause
// One channel proved by going through it: messages match, nothing is overwritten or reduced twice.
#include "collectives/proof/channel_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace shardstone::collectives {

namespace {

bool is_send(const BlockTransfer& action) {
    return action.kind == TransferKind::send;
}

std::string to_string(BlockRange range) {
    return range.count == 1 ? fmt::format("block {}", range.first)
                            : fmt::format("blocks {} to {}", range.first, range.end() - 1);
}

/// What a receive_replace touches must be left alone by everything else in the step.
void check_overwrites(int rank, std::span<const BlockTransfer> step) {
    for (const BlockTransfer& receive : step) {
        if (receive.kind != TransferKind::receive_replace) continue;
        for (const BlockTransfer& other : step) {
            if (&other == &receive || !other.blocks.overlaps(receive.blocks)) continue;
            fault_at(rank, receive, std::max(receive.blocks.first, other.blocks.first),
                     fmt::format("replaced by what rank {} sends while the same step {} rank {}",
                                 receive.peer, is_send(other) ? "sends it to" : "receives it from",
                                 other.peer));
        }
    }
}

/// How many actions of `step` before `action` go the same way to or from the same peer.
int ordinal_of(const BlockTransfer& action, std::span<const BlockTransfer> step) {
    int ordinal = 0;
    for (const BlockTransfer* earlier = step.data(); earlier != &action; ++earlier) {
        if (earlier->peer == action.peer && is_send(*earlier) == is_send(action)) ++ordinal;
    }
    return ordinal;
}

const BlockTransfer* find(std::span<const BlockTransfer> step, int peer, bool sends, int ordinal) {
    for (const BlockTransfer& action : step) {
        if (action.peer == peer && is_send(action) == sends && ordinal-- == 0) return &action;
    }
    return nullptr;
}

}  // namespace

void fault_at(int rank, const BlockTransfer& action, int block, const std::string& what) {
    throw FaultFound{{rank, action.channel, action.step, block,
                      fmt::format("rank {}, channel {}, step {}, block {}: {}", rank,
                                  action.channel, action.step, block, what)}};
}

ChannelProof::ChannelProof(const Schedule& schedule, int channel, Contributions& state)
    : state_(state),
      moves_data_(moves_data(schedule.operation->sharing)),
      now_(schedule.programs.size()) {
    for (const RankProgram& program : schedule.programs) {
        const auto range =
            std::ranges::equal_range(program.actions, channel, {}, &BlockTransfer::channel);
        left_.emplace_back(range.begin(), range.end());
    }
}

void ChannelProof::run() {
    while (next_round()) {
        for (int rank = 0; rank < size(); ++rank) check_overwrites(rank, now(rank));
        for (int rank = 0; rank < size(); ++rank) check_matches(rank);
        incoming_.clear();
        items_.clear();
        for (int rank = 0; rank < size(); ++rank) collect(rank);
        applied_ = 0;
        for (int rank = 0; rank < size(); ++rank) apply(rank);
    }
}

/// Cuts off each rank's actions of the lowest step that any rank has left; false at the end.
bool ChannelProof::next_round() {
    constexpr int none = std::numeric_limits<int>::max();
    int lowest = none;
    for (const StepActions& actions : left_) {
        if (!actions.empty()) lowest = std::min(lowest, actions.front().step);
    }
    for (std::size_t rank = 0; rank < left_.size(); ++rank) {
        std::size_t length = 0;
        while (length < left_[rank].size() && left_[rank][length].step == lowest) ++length;
        now_[rank] = left_[rank].first(length);
        left_[rank] = left_[rank].subspan(length);
    }
    return lowest != none;
}

void ChannelProof::check_matches(int rank) const {
    for (const BlockTransfer& action : now(rank)) {
        const BlockTransfer* const other =
            find(now(action.peer), rank, !is_send(action), ordinal_of(action, now(rank)));
        if (other == nullptr) {
            fault_at(rank, action, action.blocks.first,
                     fmt::format("rank {} never {} it: a deadlock", action.peer,
                                 is_send(action) ? "receives" : "sends"));
        }
        const bool agree = moves_data_ ? action.blocks.count == other->blocks.count
                                       : action.blocks == other->blocks;
        if (!is_send(action) && !agree) {
            fault_at(rank, action, action.blocks.first,
                     fmt::format("receives {} from rank {}, which sends {}",
                                 to_string(action.blocks), action.peer, to_string(other->blocks)));
        }
    }
}

void ChannelProof::collect(int rank) {
    for (const BlockTransfer& action : now(rank)) {
        if (is_send(action)) continue;
        const BlockTransfer& sent =
            *find(now(action.peer), rank, true, ordinal_of(action, now(rank)));
        for (int block = sent.blocks.first; block < sent.blocks.end(); ++block) {
            if (state_.item(action.peer, block) == Content::nothing) {
                fault_at(action.peer, sent, block,
                         fmt::format("sent to rank {} before anything is in it", rank));
            }
            const auto brought = state_.at(action.peer, block);
            incoming_.insert(incoming_.end(), brought.begin(), brought.end());
            items_.push_back(state_.item(action.peer, block));
        }
    }
}

void ChannelProof::apply(int rank) {
    for (const BlockTransfer& action : now(rank)) {
        if (is_send(action)) continue;
        for (int block = action.blocks.first; block < action.blocks.end(); ++block) {
            apply(rank, action, block, items_[applied_],
                  std::span(incoming_).subspan(applied_ * state_.words(), state_.words()));
            ++applied_;
        }
    }
}

void ChannelProof::apply(int rank, const BlockTransfer& action, int block, int item,
                         std::span<const std::uint64_t> brought) {
    if (action.kind == TransferKind::receive_reduce) {
        if (state_.item(rank, block) != item) {
            fault_at(rank, action, block,
                     fmt::format("reducing data {} from rank {} into data {}", item, action.peer,
                                 state_.item(rank, block)));
        }
        const int twice = state_.add(rank, block, brought);
        if (twice < 0) return;
        fault_at(rank, action, block,
                 fmt::format("reducing what rank {} sends counts the contribution of rank {} twice",
                             action.peer, twice));
    }
    const int lost = state_.replace(rank, block, item, brought);
    if (lost < 0) return;
    fault_at(rank, action, block,
             fmt::format("replacing it by what rank {} sends loses the contribution of rank {}",
                         action.peer, lost));
}

}  // namespace shardstone::collectives
