// SPDX-License-Identifier: BSD-3-Clause
// K-nomial tree gather, "k_nomial:K". M. Wilkins et al., "Generalized collective
// algorithms for the exascale era", IEEE Cluster 2023. The binomial tree is that of radix 2.
//
// In step k, the up to K - 1 ranks that differ from their parent in digit k, base K, send it the
// shares they have.
//
// Steps: ceil(log_K P) = L. Volume: the shares of the largest branch below the root, that of rank
// K^(L-1), or of rank K^(L-2), which is always complete.
#include "collectives/operation/k_nomial_family.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm k_nomial(int radix) {
    Algorithm algorithm = through_k_nomial_tree(radix);
    algorithm.volume_formula = "max(min(P - K^(L-1), K^(L-1)), K^(L-2)) / P  (L: ceil(log_K P))";
    algorithm.volume = [radix](const Topology& topology) {
        return 1.0 * KNomialTree(topology.size(), radix).largest_branch() / topology.size();
    };
    algorithm.program = [radix](const Topology& topology, int rank) {
        return KNomialTree(topology.size(), radix).gather(rank);
    };
    return algorithm;
}

const AlgorithmRegistration k_nomial_registration("gather", k_nomial_family(k_nomial));

}  // namespace

}  // namespace shardstone::collectives
