// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A reduce-scatter by recursive halving among a power-of-two number of ranks: in every step
/// partners exchange the halves of their remaining blocks that the other keeps, and add.
struct Halving {
    int steps = 0;
    std::function<int(int rank, int step)> partner;
    /// The blocks that `rank` keeps after this many steps: all of them at first, then in each step
    /// one half of those before, the other half being its partner's.
    std::function<BlockRange(int rank, int steps)> kept;
};

/// The program of `rank`, over this many blocks. In reverse it is the all-gather.
RankProgram reduce_scatter_by_halves(const Halving& halving, int blocks, int rank);

/// The first half of an all-reduce among `size` ranks, of whom those beyond a power of two are
/// folded into partners in a step of its own before.
RankProgram folded_reduce_scatter(const Halving& halving, int size, int rank);

/// Halving of as many blocks as ranks by partners at distance p/2, p/4, ..., 1; rank r finishes
/// block r. `ranks` is the power of two.
Halving distance_halving(int ranks);

}  // namespace shardstone::collectives
