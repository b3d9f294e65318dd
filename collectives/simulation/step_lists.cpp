// SPDX-License-Identifier: BSD-3-Clause
// All ranks' programs flattened to arrays of message ends, with sizes in bytes, for the simulation.
#include "collectives/simulation/step_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

bool is_send(const BlockTransfer& action) {
    return action.kind == TransferKind::send;
}

bool sends_any_of(BlockRange blocks, std::span<const BlockTransfer> actions) {
    return std::ranges::any_of(actions, [&](const BlockTransfer& action) {
        return is_send(action) && action.blocks.overlaps(blocks);
    });
}

}  // namespace

/// The end of this step that the action belongs to: a message that is there already, or a new one.
MessageEnd& StepLists::end_with(const BlockTransfer& action, std::size_t first) {
    const bool sends = is_send(action);
    std::uint32_t& place = place_[2 * static_cast<std::size_t>(action.peer) + (sends ? 1 : 0)];
    if (place <= first) {
        MessageEnd& end = ends_.emplace_back();
        end.peer = static_cast<std::uint32_t>(action.peer);
        end.is_send = sends;
        place = static_cast<std::uint32_t>(ends_.size());
    }
    return ends_[place - 1];
}

void StepLists::append_step(std::span<const BlockTransfer> actions, const BlockLayout& layout,
                            int rank, std::int64_t element_bytes) {
    const std::size_t first = ends_.size();
    // Many receives of one step often reduce into the same blocks: look once.
    BlockRange looked_at{0, 0};
    bool sent = false;
    for (const BlockTransfer& action : actions) {
        const std::int64_t size_bytes = layout.elements(rank, action.blocks) * element_bytes;
        if (size_bytes == 0) continue;
        MessageEnd& end = end_with(action, first);
        end.size_bytes += size_bytes;
        if (action.kind != TransferKind::receive_reduce) continue;
        end.reduced_bytes += size_bytes;
        if (looked_at != action.blocks) sent = sends_any_of(action.blocks, actions);
        looked_at = action.blocks;
        end.after_sends = end.after_sends || sent;
    }
    if (ends_.size() == first) return;
    steps_.push_back({static_cast<std::uint32_t>(first), actions.front().step});
    require(ends_.size() <= most_ends, [&] {
        return fmt::format(
            "a schedule of more than {} messages is too large to simulate: give "
            "fewer ranks or an algorithm of fewer steps",
            most_ends / 2);
    });
}

void StepLists::append(const RankProgram& program, const BlockLayout& layout,
                       std::int64_t element_bytes) {
    channels_ = static_cast<std::uint32_t>(program.channels.size());
    const int rank = static_cast<int>(first_step_.size() / channels_);
    int channel = -1;
    for_each_step(program, [&](std::span<const BlockTransfer> actions) {
        for (; channel < actions.front().channel; ++channel) {
            first_step_.push_back(static_cast<std::uint32_t>(steps_.size()));
        }
        append_step(actions, layout, rank, element_bytes);
    });
    for (++channel; channel < static_cast<int>(channels_); ++channel) {
        first_step_.push_back(static_cast<std::uint32_t>(steps_.size()));
    }
    if (first_step_.size() == channels_) reserve();
}

/// As if all ranks had as much to do as the first; untouched memory costs nothing.
void StepLists::reserve() {
    constexpr std::size_t most = most_ends / 4;
    const std::size_t ranks = place_.size() / 2;
    ends_.reserve(std::min(ends_.size() * ranks, most));
    steps_.reserve(std::min(steps_.size() * ranks + 1, most));
}

void StepLists::close() {
    first_step_.push_back(static_cast<std::uint32_t>(steps_.size()));
    steps_.push_back({static_cast<std::uint32_t>(ends_.size()), -1});
}

}  // namespace shardstone::collectives
