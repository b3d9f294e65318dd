// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree gather. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.1 (the scatter in reverse).
//
// In step k, a rank whose lowest set bit is 2^k sends the shares it has to the rank without it.
//
// Steps: ceil(log2 P) = L, the fewest. Volume: the shares of the largest branch below the root,
// that of rank 2^(L-1), or of rank 2^(L-2), which is always complete.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.name = "binomial_tree";
    algorithm.summary = "pairs of growing distance collect towards the root; the fewest steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "max(P - 2^(L-1), 2^(L-2)) / P  (L: ceil(log2 P))";
    algorithm.steps = count::log2_up;
    algorithm.volume = [](const Topology& topology) {
        return 1.0 * KNomialTree(topology.size(), 2).largest_branch() / topology.size();
    };
    algorithm.program = [](const Topology& topology, int rank) {
        return KNomialTree(topology.size(), 2).gather(rank);
    };
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration binomial_tree_registration("gather", binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
