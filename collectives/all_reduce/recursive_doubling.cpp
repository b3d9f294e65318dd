// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.5.
//
// In step k partners 2^k apart exchange their whole vectors and both add; after log2 steps each has
// the sum of all. Ranks beyond a power of two are folded into a partner before and told after.
//
// With p the largest power of two not above P, and f = 1 when P > p, else 0:
// Steps: log2 p + 2 f, the fewest. Volume: a folded rank's partner sends log2 p + f vectors.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"
#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

namespace {

constexpr BlockRange whole{0, 1};

RankProgram recursive_doubling_program(const Topology& topology, int rank) {
    const int exchanges = count::log2_down(topology);
    const int folds = count::folds(topology);
    const Fold fold = power_of_two_fold(topology.size(), rank);
    RankProgramBuilder core(1);
    for (int step = 0; fold.partner < 0 && step < exchanges; ++step) {
        core.send(step, rank ^ (1 << step), whole);
        core.receive_reduce(step, rank ^ (1 << step), whole);
    }
    const RankProgram exchange = core.build();
    const RankProgram first = in_sequence(fold_in(fold, exchange.channels), folds, exchange);
    return in_sequence(first, folds + exchanges, fold_out(fold, exchange.channels));
}

Algorithm recursive_doubling() {
    Algorithm algorithm;
    algorithm.name = "recursive_doubling";
    algorithm.summary = "partners at growing distance exchange everything; the fewest steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "log2 p + 2 f  (p: largest power of two <= P; f: 1 if P > p else 0)";
    algorithm.volume_formula = "log2 p + f";
    algorithm.steps = [](const Topology& topology) {
        return count::log2_down(topology) + 2 * count::folds(topology);
    };
    algorithm.volume = [](const Topology& topology) {
        return 1.0 * (count::log2_down(topology) + count::folds(topology));
    };
    algorithm.program = recursive_doubling_program;
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration recursive_doubling_registration("all_reduce", recursive_doubling());

}  // namespace

}  // namespace shardstone::collectives
