// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree: reduce to rank 0, then broadcast from it. R. Thakur et al. 2005, sections 4.2 and
// 4.4; the tree is that of the hypercube, e.g. S. L. Johnsson and C.-T. Ho, "Optimum broadcasting
// and personalized communication in hypercubes", IEEE Transactions on Computers 38(9), 1989.
//
// The binomial reduction, and the same backwards.
//
// Steps: 2 ceil(log2 P). Volume: rank 0 sends ceil(log2 P) vectors, the others no more.
// In all only 2 (P - 1) messages are sent, the fewest, which counts when ranks share cores.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.name = "binomial_tree";
    algorithm.summary = "reduce to rank 0 and broadcast from it; the fewest messages";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "2 ceil(log2 P)";
    algorithm.volume_formula = "ceil(log2 P)";
    algorithm.steps = [](const Topology& topology) { return 2 * count::log2_up(topology); };
    algorithm.volume = [](const Topology& topology) {
        return 1.0 * KNomialTree(topology.size(), 2).root_degree();
    };
    algorithm.program = there_and_back("reduce", "binomial_tree");
    return algorithm;
}

const AlgorithmRegistration binomial_tree_registration("all_reduce", binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
