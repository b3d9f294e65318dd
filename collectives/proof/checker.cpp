// SPDX-License-Identifier: BSD-3-Clause
// A schedule proved to achieve its operation without deadlock, or the first fault named.
#include "collectives/proof/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "collectives/proof/channel_proof.hpp"

namespace shardstone::collectives {

namespace {

[[noreturn]] void fault_of(int rank, int block, const std::string& what) {
    throw FaultFound{
        {rank, -1, -1, block, fmt::format("rank {}, block {}: {}", rank, block, what)}};
}

void check_channels(const Schedule& schedule, int rank) {
    std::vector<BlockRange> channels = schedule.programs[static_cast<std::size_t>(rank)].channels;
    if (channels != schedule.programs.front().channels) {
        fault_of(rank, 0, "the channels differ from those of rank 0");
    }
    std::ranges::sort(channels, {}, &BlockRange::first);
    int next = 0;
    for (const BlockRange owned : channels) {
        if (owned.first != next || owned.count < 1) {
            fault_of(rank, next, "not owned by exactly one channel");
        }
        next = owned.end();
    }
}

void check_action(const Schedule& schedule, int rank, const BlockTransfer& action) {
    const auto& channels = schedule.programs[static_cast<std::size_t>(rank)].channels;
    const int block = action.blocks.first;
    if (action.channel < 0 || action.channel >= static_cast<int>(channels.size())) {
        fault_at(rank, action, block, "there is no such channel");
    }
    if (action.peer < 0 || action.peer >= schedule.topology.size() || action.peer == rank) {
        fault_at(rank, action, block, fmt::format("the peer, {}, is no other rank", action.peer));
    }
    if (action.blocks.count < 1 ||
        !channels[static_cast<std::size_t>(action.channel)].contains(action.blocks)) {
        fault_at(rank, action, block, "not one of the channel's blocks");
    }
}

void check_order(int rank, const std::vector<BlockTransfer>& actions) {
    const auto place = [](const BlockTransfer& action) {
        return std::tuple(action.channel, action.step);
    };
    const auto wrong = std::ranges::is_sorted_until(actions, {}, place);
    if (wrong != actions.end()) {
        fault_at(rank, *wrong, wrong->blocks.first, "comes after a later channel or step");
    }
}

/// Calls visit(role, block, block within its channel) for all blocks of all ranks.
template <class Visit>
void for_each_block(const Schedule& schedule, Visit&& visit) {
    for (int rank = 0; rank < schedule.topology.size(); ++rank) {
        const RankRole role{schedule.topology.size(), schedule.root, rank};
        for (const BlockRange owned : schedule.programs.front().channels) {
            for (int place = 0; place < owned.count; ++place) {
                visit(role, owned.first + place, place);
            }
        }
    }
}

void check_result(const Contributions& state, const RankRole& role, int block, Content wanted) {
    if (wanted.item == Content::nothing) return;
    const int item = state.item(role.rank, block);
    if (item != wanted.item) {
        fault_of(role.rank, block,
                 item == Content::nothing
                     ? "ends without data"
                     : fmt::format("ends with data {} in place of {}", item, wanted.item));
    }
    const int missing = state.first_missing(role.rank, block, wanted);
    if (missing >= 0) {
        fault_of(role.rank, block,
                 fmt::format("ends without the contribution of rank {}", missing));
    }
    const int unwanted = state.first_unwanted(role.rank, block, wanted);
    if (unwanted >= 0) {
        fault_of(role.rank, block,
                 fmt::format("ends with the contribution of rank {} in it", unwanted));
    }
}

void prove(const Schedule& schedule) {
    const int size = schedule.topology.size();
    for (int rank = 0; rank < size; ++rank) {
        const auto& actions = schedule.programs[static_cast<std::size_t>(rank)].actions;
        check_channels(schedule, rank);
        for (const BlockTransfer& action : actions) check_action(schedule, rank, action);
        check_order(rank, actions);
    }
    const Operation& operation = *schedule.operation;
    const RankProgram& first = schedule.programs.front();
    Contributions state(size, first.blocks());
    for_each_block(schedule, [&](const RankRole& role, int block, int place) {
        state.set(role.rank, block, operation.before(role, place));
    });
    for (int channel = 0; channel < static_cast<int>(first.channels.size()); ++channel) {
        ChannelProof(schedule, channel, state).run();
    }
    for_each_block(schedule, [&](const RankRole& role, int block, int place) {
        check_result(state, role, block, operation.after(role, place));
    });
}

}  // namespace

std::optional<Fault> check_schedule(const Schedule& schedule) {
    try {
        prove(schedule);
    } catch (const FaultFound& found) {
        return found.fault;
    }
    return std::nullopt;
}

}  // namespace shardstone::collectives
