// SPDX-License-Identifier: BSD-3-Clause
// K-nomial tree reduction, "k_nomial:K". M. Wilkins et al., "Generalized collective
// algorithms for the exascale era", IEEE Cluster 2023. The binomial tree is that of radix 2.
//
// In step k, the up to K - 1 ranks that differ from their parent in digit k, base K, send it their
// sums: fewer steps than the binomial tree, in each of which a parent has more to receive.
//
// Steps: ceil(log_K P). Volume: every rank but the root sends 1 vector.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/k_nomial_family.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm k_nomial(int radix) {
    Algorithm algorithm = through_k_nomial_tree(radix);
    algorithm.volume_formula = "1";
    algorithm.volume = count::one_vector;
    algorithm.program = [radix](const Topology& topology, int rank) {
        return KNomialTree(topology.size(), radix).reduce(rank);
    };
    return algorithm;
}

const AlgorithmRegistration k_nomial_registration("reduce", k_nomial_family(k_nomial));

}  // namespace

}  // namespace shardstone::collectives
