// SPDX-License-Identifier: BSD-3-Clause
// Pairwise all-to-all. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.3.
//
// In step s, every rank sends to the rank s + 1 further on and receives from the one s + 1 behind,
// so that no two ranks ever send to the same one.
//
// Steps: P - 1. Volume: every rank sends (P - 1) / P of its vector, the least possible.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"

namespace shardstone::collectives {

namespace {

RankProgram pairwise_program(const Topology& topology, int rank) {
    const int size = topology.size();
    RankProgramBuilder exchange(2 * size);
    for (int step = 0; step < size - 1; ++step) {
        const int to = (rank + step + 1) % size;
        const int from = (rank - step - 1 + size) % size;
        exchange.send(step, to, {to, 1});
        exchange.receive_replace(step, from, {size + from, 1});
    }
    return exchange.build();
}

Algorithm pairwise() {
    Algorithm algorithm;
    algorithm.name = "pairwise";
    algorithm.summary = "one partner after another, no two with the same; the least volume";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "P - 1";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::others;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = pairwise_program;
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration pairwise_registration("all_to_all", pairwise());

}  // namespace

}  // namespace shardstone::collectives
