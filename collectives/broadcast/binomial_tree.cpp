// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree broadcast. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.4.
//
// Who has the vector sends it to the rank half as far away as in the step before: the binomial
// reduction run backwards.
//
// Steps: ceil(log2 P), the fewest. Volume: the root sends ceil(log2 P) vectors, the others fewer.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.name = "binomial_tree";
    algorithm.summary = "ranks that have it send it on to ever nearer ranks; the fewest steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "ceil(log2 P)";
    algorithm.steps = count::log2_up;
    algorithm.volume = [](const Topology& topology) {
        return 1.0 * KNomialTree(topology.size(), 2).root_degree();
    };
    algorithm.program = backwards_of("reduce", "binomial_tree");
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration binomial_tree_registration("broadcast", binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
