// SPDX-License-Identifier: BSD-3-Clause
// Ring all-gather. P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters
// of workstations", Journal of Parallel and Distributed Computing 69(2), 2009.
//
// In step s, rank r passes block r - s, which it has just got, to its right neighbour.
//
// Steps: P - 1. Volume: every rank sends (P - 1) / P of the vector, the least possible.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"

namespace shardstone::collectives {

namespace {

RankProgram ring_program(const Topology& topology, int rank) {
    const int size = topology.size();
    const auto behind = [=](int distance) {
        return BlockRange{(rank - distance + size) % size, 1};
    };
    RankProgramBuilder ring(size);
    for (int step = 0; step < size - 1; ++step) {
        ring.send(step, (rank + 1) % size, behind(step));
        ring.receive_replace(step, (rank + size - 1) % size, behind(step + 1));
    }
    return ring.build();
}

Algorithm ring() {
    Algorithm algorithm;
    algorithm.name = "ring";
    algorithm.summary = "shares travel round the ring once; the least volume, many steps";
    algorithm.citation = "Patarasuk and Yuan 2009";
    algorithm.steps_formula = "P - 1";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::others;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = ring_program;
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration ring_registration("all_gather", ring());

}  // namespace

}  // namespace shardstone::collectives
