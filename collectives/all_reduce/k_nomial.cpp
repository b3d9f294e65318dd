// SPDX-License-Identifier: BSD-3-Clause
// K-nomial tree, "k_nomial:K": reduce to rank 0, then broadcast from it. M. Wilkins et
// al., "Generalized collective algorithms for the exascale era", IEEE Cluster 2023.
//
// The k-nomial reduction, and the same backwards.
//
// Steps: 2 ceil(log_K P). Volume: rank 0 sends a vector to each of its children, K - 1 for every
// digit of P - 1 but the highest, of which there are as many as it says.
#include <fmt/format.h>

#include "collectives/operation/derive.hpp"
#include "collectives/operation/k_nomial_family.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm k_nomial(int radix) {
    Algorithm algorithm = through_k_nomial_tree(radix);
    algorithm.summary = fmt::format("reduce to rank 0 and broadcast by trees of radix {}", radix);
    algorithm.steps_formula = "2 ceil(log_K P)";
    algorithm.volume_formula =
        "children of the root: (K - 1) floor(log_K (P - 1)) + highest digit of P - 1";
    algorithm.steps = [radix](const Topology& topology) {
        return 2 * KNomialTree(topology.size(), radix).levels();
    };
    algorithm.volume = [radix](const Topology& topology) {
        return 1.0 * KNomialTree(topology.size(), radix).root_degree();
    };
    algorithm.program = there_and_back("reduce", algorithm.name);
    return algorithm;
}

const AlgorithmRegistration k_nomial_registration("all_reduce", k_nomial_family(k_nomial));

}  // namespace

}  // namespace shardstone::collectives
