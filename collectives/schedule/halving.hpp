// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// Ranks, a power of two of them, that reduce and scatter by halves: in every step partners send
/// each other the half of the blocks still theirs that the other keeps, and add.
struct Halving {
    int steps = 0;
    std::function<int(int rank, int step)> partner;
    /// What `rank` still keeps after so many steps: all blocks after none, and then always one half
    /// of what it kept before, the other half being its partner's.
    std::function<BlockRange(int rank, int steps)> kept;
};

/// Of `rank`, over so many blocks. Backwards it is the all-gather.
RankProgram reduce_scatter_by_halves(const Halving& halving, int blocks, int rank);

/// The first half of an all-reduce among `size` ranks, of whom those beyond a power of two are
/// folded into partners in a step of its own before.
RankProgram folded_reduce_scatter(const Halving& halving, int size, int rank);

/// Halving of as many blocks as ranks by partners at distance p/2, p/4, ..., 1; rank r finishes
/// block r. `ranks` is the power of two.
Halving distance_halving(int ranks);

}  // namespace shardstone::collectives
