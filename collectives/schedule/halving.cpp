// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter by recursive halving, for any number of ranks by folding the surplus first.
#include "collectives/schedule/halving.hpp"

#include <bit>

#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

RankProgram reduce_scatter_by_halves(const Halving& halving, int blocks, int rank) {
    RankProgramBuilder program(blocks);
    for (int step = 0; step < halving.steps; ++step) {
        const int partner = halving.partner(rank, step);
        program.send(step, partner, halving.kept(partner, step + 1));
        program.receive_reduce(step, partner, halving.kept(rank, step + 1));
    }
    return program.build();
}

RankProgram folded_reduce_scatter(const Halving& halving, int size, int rank) {
    const int core = power_of_two_below(size);
    const Fold fold = power_of_two_fold(size, rank);
    const RankProgram halves = fold.partner < 0 ? reduce_scatter_by_halves(halving, core, rank)
                                                : RankProgramBuilder(core).build();
    return in_sequence(fold_in(fold, halves.channels), size > core ? 1 : 0, halves);
}

Halving distance_halving(int ranks) {
    Halving halving;
    halving.steps = std::countr_zero(static_cast<unsigned>(ranks));
    halving.partner = [=](int rank, int step) { return rank ^ (ranks >> (step + 1)); };
    halving.kept = [=](int rank, int steps) {
        const int length = ranks >> steps;
        return BlockRange{rank & ~(length - 1), length};
    };
    return halving;
}

}  // namespace shardstone::collectives
