// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/schedule/halving.hpp"

#include <bit>

namespace shardstone::collectives {

RankProgram reduce_scatter_by_halves(const Halving& halving, int blocks, int rank) {
    ProgramBuilder program(blocks);
    for (int step = 0; step < halving.steps; ++step) {
        const int partner = halving.partner(rank, step);
        program.send(step, partner, halving.kept(partner, step + 1));
        program.receive_reduce(step, partner, halving.kept(rank, step + 1));
    }
    return program.build();
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
