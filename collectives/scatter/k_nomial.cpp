// SPDX-License-Identifier: BSD-3-Clause
// K-nomial tree scatter, "k_nomial:K". M. Wilkins et al., "Generalized collective
// algorithms for the exascale era", IEEE Cluster 2023. The binomial tree is that of radix 2.
//
// The k-nomial gather run backwards: who has the shares of a branch sends K - 1 parts of them on.
//
// Steps: ceil(log_K P). Volume: the root sends (P - 1) / P of the vector.
#include <fmt/format.h>

#include "collectives/operation/derive.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm make(std::string_view argument) {
    const int radix = number_argument("k_nomial", argument, "a radix", 2, 1024);
    Algorithm algorithm;
    algorithm.operation = "scatter";
    algorithm.name = fmt::format("k_nomial:{}", radix);
    algorithm.summary =
        fmt::format("a tree of radix {}: fewer steps, more messages in each", radix);
    algorithm.citation = "Wilkins et al. 2023";
    algorithm.steps_formula = "ceil(log_K P)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = [radix](const Topology& topology) {
        return KNomialTree(topology.size(), radix).levels();
    };
    algorithm.volume = [](const Topology& topology) {
        return 1.0 * (topology.size() - 1) / topology.size();
    };
    algorithm.program = backwards_of("gather", algorithm.name);
    return algorithm;
}

const AlgorithmRegistration registration(AlgorithmFamily{
    "scatter", "k_nomial", "k_nomial:K", {"4"}, make});

}  // namespace

}  // namespace shardstone::collectives
