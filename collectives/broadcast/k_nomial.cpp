// SPDX-License-Identifier: BSD-3-Clause
// K-nomial tree broadcast, "k_nomial:K". M. Wilkins et al., "Generalized collective
// algorithms for the exascale era", IEEE Cluster 2023. The binomial tree is that of radix 2.
//
// The k-nomial reduction run backwards: in each step, who has the vector sends it to K - 1 others.
//
// Steps: ceil(log_K P). Volume: the root sends a vector to each of its children, K - 1 for every
// digit of P - 1 but the highest, of which there are as many as it says.
#include "collectives/operation/derive.hpp"
#include "collectives/operation/k_nomial_family.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm k_nomial(int radix) {
    Algorithm algorithm = through_k_nomial_tree(radix);
    algorithm.volume_formula =
        "children of the root: (K - 1) floor(log_K (P - 1)) + highest digit of P - 1";
    algorithm.volume = [radix](const Topology& topology) {
        return 1.0 * KNomialTree(topology.size(), radix).root_degree();
    };
    algorithm.program = backwards_of("reduce", algorithm.name);
    return algorithm;
}

const AlgorithmRegistration k_nomial_registration("broadcast", k_nomial_family(k_nomial));

}  // namespace

}  // namespace shardstone::collectives
