// SPDX-License-Identifier: BSD-3-Clause
// Chain reduction. J. Pjesivac-Grbovic et al., "Performance analysis of MPI
// collective operations", Cluster Computing 10(2), 2007 ("pipeline").
//
// The last rank sends its vector to the one before it, which adds its own and passes the sum on.
// Cut into segments, all links are busy at once: the best for long vectors.
//
// Steps (of one segment): P - 1. Volume: every rank but the root sends 1 vector.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"

namespace shardstone::collectives {

namespace {

constexpr BlockRange whole{0, 1};

RankProgram chain_program(const Topology& topology, int rank) {
    const int steps = topology.size() - 1;
    RankProgramBuilder chain(1);
    if (rank < steps) chain.receive_reduce(steps - 1 - rank, rank + 1, whole);
    if (rank > 0) chain.send(steps - rank, rank - 1, whole);
    return chain.build();
}

Algorithm chain() {
    Algorithm algorithm;
    algorithm.name = "chain";
    algorithm.summary = "each adds its own and passes the sum on, in segments; for long vectors";
    algorithm.citation = "Pjesivac-Grbovic et al. 2007";
    algorithm.steps_formula = "P - 1 per segment";
    algorithm.volume_formula = "1";
    algorithm.steps = count::others;
    algorithm.volume = count::one_vector;
    algorithm.program = chain_program;
    algorithm.segment_bytes = 64 << 10;
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration chain_registration("reduce", chain());

}  // namespace

}  // namespace shardstone::collectives
