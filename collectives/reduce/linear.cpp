// SPDX-License-Identifier: BSD-3-Clause
// Linear reduction. MPI: A Message-Passing Interface Standard, 1994, section 4.9, where this is
// how the operation is defined.
//
// All others send to the root at once, which adds the vectors up in rank order.
//
// Steps: 1. Volume: every rank but the root sends 1 vector; the root receives P - 1.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm linear() {
    Algorithm algorithm;
    algorithm.name = "linear";
    algorithm.summary = "all send to the root at once; one step";
    algorithm.citation = "MPI Forum 1994";
    algorithm.steps_formula = "1  (P = 1: 0)";
    algorithm.volume_formula = "1";
    algorithm.steps = count::one_step;
    algorithm.volume = count::one_vector;
    algorithm.program = [](const Topology& topology, int rank) {
        return KNomialTree::flat(topology.size()).reduce(rank);
    };
    return algorithm;
}

const AlgorithmRegistration linear_registration("reduce", linear());

}  // namespace

}  // namespace shardstone::collectives
