// SPDX-License-Identifier: BSD-3-Clause
// Linear broadcast. MPI: A Message-Passing Interface Standard, 1994, section 4.4, where this is
// how the operation is defined.
//
// The root sends to all others at once.
//
// Steps: 1. Volume: the root sends P - 1 vectors, the most possible.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm linear() {
    Algorithm algorithm;
    algorithm.name = "linear";
    algorithm.summary = "the root sends to all at once; one step";
    algorithm.citation = "MPI Forum 1994";
    algorithm.steps_formula = "1  (P = 1: 0)";
    algorithm.volume_formula = "P - 1";
    algorithm.steps = count::one_step;
    algorithm.volume = [](const Topology& topology) { return topology.size() - 1.0; };
    algorithm.program = backwards_of("reduce", "linear");
    return algorithm;
}

const AlgorithmRegistration linear_registration("broadcast", linear());

}  // namespace

}  // namespace shardstone::collectives
