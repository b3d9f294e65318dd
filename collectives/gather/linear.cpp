// SPDX-License-Identifier: BSD-3-Clause
// Linear gather. MPI: A Message-Passing Interface Standard, 1994, section 4.5, where this is
// how the operation is defined.
//
// All others send their shares to the root at once: no share travels twice.
//
// Steps: 1. Volume: every rank but the root sends 1 / P of the vector.
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
    algorithm.volume_formula = "1 / P";
    algorithm.steps = count::one_step;
    algorithm.volume = [](const Topology& topology) {
        return 1.0 * KNomialTree::flat(topology.size()).largest_branch() / topology.size();
    };
    algorithm.program = [](const Topology& topology, int rank) {
        return KNomialTree::flat(topology.size()).gather(rank);
    };
    return algorithm;
}

const AlgorithmRegistration linear_registration("gather", linear());

}  // namespace

}  // namespace shardstone::collectives
