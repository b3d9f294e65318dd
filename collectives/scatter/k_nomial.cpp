// SPDX-License-Identifier: BSD-3-Clause
// K-nomial tree scatter, "k_nomial:K". M. Wilkins et al., "Generalized collective
// algorithms for the exascale era", IEEE Cluster 2023. The binomial tree is that of radix 2.
//
// The k-nomial gather run backwards: who has the shares of a branch sends K - 1 parts of them on.
//
// Steps: ceil(log_K P). Volume: the root sends (P - 1) / P of the vector.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"
#include "collectives/operation/k_nomial_family.hpp"

namespace shardstone::collectives {

namespace {

Algorithm k_nomial(int radix) {
    Algorithm algorithm = through_k_nomial_tree(radix);
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.volume = count::all_but_a_share;
    algorithm.program = backwards_of("gather", algorithm.name);
    return algorithm;
}

const AlgorithmRegistration k_nomial_registration("scatter", k_nomial_family(k_nomial));

}  // namespace

}  // namespace shardstone::collectives
