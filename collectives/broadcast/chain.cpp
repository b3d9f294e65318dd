// SPDX-License-Identifier: BSD-3-Clause
// Chain broadcast. J. Pjesivac-Grbovic et al., "Performance analysis of MPI
// collective operations", Cluster Computing 10(2), 2007 ("pipeline").
//
// Each rank passes the vector to the next: the chain reduction run backwards. Cut into segments,
// all links are busy at once: the best for long vectors.
//
// Steps (of one segment): P - 1. Volume: every rank but the last sends 1 vector.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm chain() {
    Algorithm algorithm;
    algorithm.name = "chain";
    algorithm.summary = "each passes it to the next, in segments; for long vectors";
    algorithm.citation = "Pjesivac-Grbovic et al. 2007";
    algorithm.steps_formula = "P - 1 per segment";
    algorithm.volume_formula = "1";
    algorithm.steps = count::others;
    algorithm.volume = count::one_vector;
    algorithm.program = backwards_of("reduce", "chain");
    algorithm.segment_bytes = 64 << 10;
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration chain_registration("broadcast", chain());

}  // namespace

}  // namespace shardstone::collectives
