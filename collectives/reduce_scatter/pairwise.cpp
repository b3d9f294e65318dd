// SPDX-License-Identifier: BSD-3-Clause
// Pairwise reduce-scatter. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.2.
//
// In step s, every rank sends the rank s + 1 further on its share of the rank's own vector, and
// adds what it gets to its own share: no partial sum travels.
//
// Steps: P - 1. Volume: every rank sends (P - 1) / P of the vector, the least possible.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"

namespace shardstone::collectives {

namespace {

RankProgram pairwise_program(const Topology& topology, int rank) {
    const int size = topology.size();
    RankProgramBuilder exchange(size);
    for (int distance = 1; distance < size; ++distance) {
        const int to = (rank + distance) % size;
        exchange.send(distance - 1, to, {to, 1});
        exchange.receive_reduce(distance - 1, (rank - distance + size) % size, {rank, 1});
    }
    return exchange.build();
}

Algorithm pairwise() {
    Algorithm algorithm;
    algorithm.name = "pairwise";
    algorithm.summary = "each sends every other its share, one after another; the least volume";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "P - 1";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::others;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = pairwise_program;
    return algorithm;
}

const AlgorithmRegistration pairwise_registration("reduce_scatter", pairwise());

}  // namespace

}  // namespace shardstone::collectives
