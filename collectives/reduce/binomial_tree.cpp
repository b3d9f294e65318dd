// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree reduction. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.6.
//
// In step k, a rank whose lowest set bit is 2^k sends its sum to the rank without that bit.
//
// Steps: ceil(log2 P), the fewest. Volume: every rank but the root sends 1 vector.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.name = "binomial_tree";
    algorithm.summary = "pairs of growing distance add up towards the root; the fewest steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "1";
    algorithm.steps = count::log2_up;
    algorithm.volume = count::one_vector;
    algorithm.program = [](const Topology& topology, int rank) {
        return KNomialTree(topology.size(), 2).reduce(rank);
    };
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration binomial_tree_registration("reduce", binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
