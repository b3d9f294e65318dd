// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// When a rank works alone on its cores.
struct RankTurn {
    int turn = 0;   ///< this rank's
    int turns = 1;  ///< of all ranks
};

/// Where the ranks under one kernel outnumber the cores that they may use, they take turns, one
/// after the other; elsewhere each has a core of its own, and all work in the same turn. Ranks are
/// told apart by kernel, since virtual nodes and containers share cores. Collective.
RankTurn agree_on_turns(const collectives::Communicator& world);

}  // namespace shardstone::benchmarks
