// SPDX-License-Identifier: BSD-3-Clause
// A rank's program made into messages of known sizes: short ones joined, long ones split.
#include "collectives/executors/plan.hpp"

#include <algorithm>
#include <utility>

namespace shardstone::collectives {

namespace {

/// Beyond this, copying a message together costs more than the messages that it saves.
constexpr std::int64_t longest_joined_bytes = 64 << 10;

bool is_send(const BlockTransfer& action) {
    return action.kind == TransferKind::send;
}

class Planner {
  public:
    Planner(const BlockLayout& layout, int rank, std::int64_t element_bytes, std::int64_t largest)
        : layout_(layout),
          rank_(rank),
          element_bytes_(element_bytes),
          largest_(std::max<std::int64_t>(1, largest / element_bytes) * element_bytes) {}

    void add_step(std::span<const BlockTransfer> actions) {
        if (actions.front().channel != channel_) open_channel(actions.front().channel);
        const int begin = static_cast<int>(plan_.messages.size());
        staging_end_ = staging_begin_;
        for (const bool sends : {false, true}) {
            for (std::size_t i = 0; i < actions.size(); ++i) {
                if (is_send(actions[i]) == sends && is_first_with_peer(actions, i)) {
                    add_messages(actions.subspan(i), actions);
                }
            }
        }
        close_step(begin);
    }

    TransferPlan finish() {
        std::erase_if(plan_.channels,
                      [](const auto& channel) { return channel.begin == channel.end; });
        return std::move(plan_);
    }

  private:
    int transfers() const { return static_cast<int>(plan_.transfers.size()); }

    void open_channel(int channel) {
        channel_ = channel;
        const int first_step = static_cast<int>(plan_.steps.size());
        plan_.channels.push_back({first_step, first_step, plan_.requests});
        staging_begin_ = plan_.staging_bytes;
    }

    void close_step(int begin) {
        const int end = static_cast<int>(plan_.messages.size());
        if (begin == end) return;
        plan_.steps.push_back({begin, end});
        auto& channel = plan_.channels.back();
        ++channel.end;
        plan_.requests = std::max(plan_.requests, channel.first_request + end - begin);
        plan_.staging_bytes = std::max(plan_.staging_bytes, staging_end_);
    }

    static bool is_first_with_peer(std::span<const BlockTransfer> step, std::size_t i) {
        return std::none_of(step.begin(), step.begin() + static_cast<std::ptrdiff_t>(i),
                            [&](const BlockTransfer& earlier) {
                                return earlier.peer == step[i].peer &&
                                       is_send(earlier) == is_send(step[i]);
                            });
    }

    /// All that goes the way of the first of `actions`, to or from its peer.
    void add_messages(std::span<const BlockTransfer> actions, std::span<const BlockTransfer> step) {
        const int begin = transfers();
        std::int64_t size_bytes = 0;
        for (const BlockTransfer& action : actions) {
            if (action.peer != actions.front().peer || is_send(action) != is_send(actions.front()))
                continue;
            size_bytes += add_transfers(action, step);
        }
        if (size_bytes <= std::min(longest_joined_bytes, largest_)) {
            add_message(begin, transfers());
        } else {
            for (int t = begin; t < transfers(); ++t) add_message(t, t + 1);
        }
    }

    void add_message(int begin, int end) {
        if (begin == end) return;
        PlannedMessage message{begin, end, 0, end - begin > 1};
        for (int t = begin; t < end; ++t) {
            Transfer& transfer = plan_.transfers[static_cast<std::size_t>(t)];
            transfer.staging_bytes = staging_end_ + message.size_bytes;
            message.size_bytes += transfer.size_bytes;
            message.staged |= transfer.kind == TransferKind::receive_reduce;
        }
        // Whole lines, so that every message in the staging memory is aligned for any type.
        if (message.staged) staging_end_ += (message.size_bytes + 63) / 64 * 64;
        plan_.messages.push_back(message);
    }

    /// The pieces that the blocks of an action lie in; returns their bytes.
    std::int64_t add_transfers(const BlockTransfer& action, std::span<const BlockTransfer> step) {
        const bool after_sends = action.kind == TransferKind::receive_reduce &&
                                 std::ranges::any_of(step, [&](const BlockTransfer& other) {
                                     return is_send(other) && other.blocks.overlaps(action.blocks);
                                 });
        const auto first = static_cast<std::size_t>(transfers());
        std::int64_t total = 0;
        for (int block = action.blocks.first; block < action.blocks.end(); ++block) {
            const Extent place = layout_.at(rank_, block);
            std::int64_t offset = place.begin * element_bytes_;
            const std::int64_t end = offset + place.count * element_bytes_;
            total += end - offset;
            // Both ends of a message must cut it at the same bytes.
            if (layout_.same_on_all_ranks() && plan_.transfers.size() > first) {
                offset = grow_last(place.region, offset, end);
            }
            for (; offset < end; offset += plan_.transfers.back().size_bytes) {
                plan_.transfers.push_back({action.kind, action.peer, action.channel, action.step,
                                           place.region, offset, std::min(largest_, end - offset),
                                           0, after_sends});
            }
        }
        return total;
    }

    /// Adds to the last transfer what follows right behind it in memory; returns where the rest
    /// begins.
    std::int64_t grow_last(Region region, std::int64_t begin, std::int64_t end) {
        Transfer& last = plan_.transfers.back();
        if (last.region != region || last.offset_bytes + last.size_bytes != begin) return begin;
        const std::int64_t grown = std::min(largest_ - last.size_bytes, end - begin);
        last.size_bytes += grown;
        return begin + grown;
    }

    TransferPlan plan_;
    const BlockLayout& layout_;
    int rank_;
    std::int64_t element_bytes_;
    std::int64_t largest_;
    int channel_ = -1;
    std::int64_t staging_begin_ = 0;
    std::int64_t staging_end_ = 0;
};

}  // namespace

TransferPlan make_plan(const RankProgram& program, const BlockLayout& layout, int rank,
                       std::int64_t element_bytes, std::int64_t largest_message_bytes) {
    Planner planner(layout, rank, element_bytes, largest_message_bytes);
    for_each_step(program,
                  [&](std::span<const BlockTransfer> actions) { planner.add_step(actions); });
    return planner.finish();
}

}  // namespace shardstone::collectives
