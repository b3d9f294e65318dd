// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::benchmarks {

/// The actions of one rank in one step of one channel.
struct RankRound {
    int rank;
    std::span<const collectives::BlockTransfer> actions;
};

/// The steps of the whole job, channel after channel. Refers to the schedule.
std::vector<std::vector<RankRound>> rounds_of(const collectives::Schedule& schedule);

/// Values held by every rank: [rank][block].
template <class Value>
using Holdings = std::vector<std::vector<Value>>;

/// Simulates a schedule of a reducing operation in this process, on values that represent blocks.
/// Messages contain the state at the start of a step and are received in the order of the actions,
/// as by executors. `add(mine, brought, block)` performs a receive_reduce. Throws Error if a
/// message is received that no rank sends.
template <class Value, class Add>
void play(const collectives::Schedule& schedule, Holdings<Value>& held, Add&& add) {
    using collectives::TransferKind;
    const auto at = [&](int rank, int block) -> Value& {
        return held[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block)];
    };
    for (const auto& turns : rounds_of(schedule)) {
        std::map<std::pair<int, int>, std::deque<Value>> under_way;  // from, to
        for (const auto& [rank, actions] : turns) {
            for (const auto& action : actions) {
                if (action.kind != TransferKind::send) continue;
                for (int b = action.blocks.first; b < action.blocks.end(); ++b) {
                    under_way[{rank, action.peer}].push_back(at(rank, b));
                }
            }
        }
        for (const auto& [rank, actions] : turns) {
            for (const auto& action : actions) {
                if (action.kind == TransferKind::send) continue;
                auto& message = under_way[{action.peer, rank}];
                for (int b = action.blocks.first; b < action.blocks.end(); ++b) {
                    require(!message.empty(), "a schedule receives what nobody sends");
                    if (action.kind == TransferKind::receive_reduce) {
                        add(at(rank, b), message.front(), b);
                    } else {
                        at(rank, b) = std::move(message.front());
                    }
                    message.pop_front();
                }
            }
        }
    }
}

}  // namespace shardstone::benchmarks
