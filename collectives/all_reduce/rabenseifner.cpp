// SPDX-License-Identifier: BSD-3-Clause
// Rabenseifner's algorithm. R. Rabenseifner, "Optimization of collective reduction operations",
// ICCS 2004; R. Thakur et al. 2005, section 4.5.
//
// Reduce-scatter by recursive halving: partners at distance p/2, p/4, ..., 1 exchange the half of
// their range that the other keeps, and add. All-gather by recursive doubling, the same in reverse.
// Ranks beyond a power of two are folded into a partner before and told after.
//
// With p the largest power of two not above P, and f = 1 when P > p, else 0:
// Steps: 2 log2 p + 2 f. Volume: 2 (p - 1) / p, and f more for a folded rank's partner.
#include <bit>

#include "collectives/operation/algorithm.hpp"
#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

namespace {

struct Halving {
    int core;   // p
    int fold;   // f
    int steps;  // log2 p

    explicit Halving(int size)
        : core(power_of_two_below(size)),
          fold(size > core ? 1 : 0),
          steps(std::countr_zero(static_cast<unsigned>(core))) {}
};

/// The `length` blocks that `rank` holds when ranges are `length` (a power of two) long.
BlockRange range_of(int rank, int length) {
    return {rank & ~(length - 1), length};
}

RankProgram reduce_scatter(const Topology& topology, int rank) {
    const Halving halving(topology.size());
    const Fold fold = power_of_two_fold(topology.size(), rank);
    ProgramBuilder program(halving.core);
    for (int step = 0; fold.partner < 0 && step < halving.steps; ++step) {
        const int half = halving.core >> (step + 1);
        const int partner = rank ^ half;
        program.send(step, partner, range_of(partner, half));
        program.receive_reduce(step, partner, range_of(rank, half));
    }
    const RankProgram core = program.build();
    return in_sequence(fold_in(fold, core.channels), halving.fold, core);
}

RankProgram all_gather(const Topology& topology, int rank) {
    const Halving halving(topology.size());
    const Fold fold = power_of_two_fold(topology.size(), rank);
    ProgramBuilder program(halving.core);
    for (int step = 0; fold.partner < 0 && step < halving.steps; ++step) {
        const int half = 1 << step;
        const int partner = rank ^ half;
        program.send(step, partner, range_of(rank, half));
        program.receive_replace(step, partner, range_of(partner, half));
    }
    const RankProgram core = program.build();
    return in_sequence(core, halving.steps, fold_out(fold, core.channels));
}

Algorithm rabenseifner() {
    Algorithm algorithm;
    algorithm.operation = "all_reduce";
    algorithm.name = "rabenseifner";
    algorithm.summary = "recursive halving, then doubling; the least volume in few steps";
    algorithm.citation = "Rabenseifner 2004";
    algorithm.steps_formula =
        "2 log2 p + 2 f  (p: largest power of two <= P; f: 1 if P > p else 0)";
    algorithm.volume_formula = "2 (p - 1) / p + f";
    algorithm.steps = [](const Topology& topology) {
        const Halving halving(topology.size());
        return 2 * (halving.steps + halving.fold);
    };
    algorithm.volume = [](const Topology& topology) {
        const Halving halving(topology.size());
        return 2.0 * (halving.core - 1) / halving.core + halving.fold;
    };
    algorithm.reduce_scatter = reduce_scatter;
    algorithm.all_gather = all_gather;
    return algorithm;
}

const AlgorithmRegistration registration(rabenseifner());

}  // namespace

}  // namespace shardstone::collectives
