// SPDX-License-Identifier: BSD-3-Clause
// K-nomial tree broadcast, "k_nomial:K". M. Wilkins et al., "Generalized collective
// algorithms for the exascale era", IEEE Cluster 2023. The binomial tree is that of radix 2.
//
// The k-nomial reduction run backwards: in each step, who has the vector sends it to K - 1 others.
//
// Steps: ceil(log_K P). Volume: the root sends a vector to each of its children, K - 1 for every
// digit of P - 1 but the highest, of which there are as many as it says.
#include <fmt/format.h>

#include "collectives/operation/derive.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm make(std::string_view argument) {
    const int radix = number_argument("k_nomial", argument, "a radix", 2, 1024);
    Algorithm algorithm;
    algorithm.operation = "broadcast";
    algorithm.name = fmt::format("k_nomial:{}", radix);
    algorithm.summary =
        fmt::format("a tree of radix {}: fewer steps, more messages in each", radix);
    algorithm.citation = "Wilkins et al. 2023";
    algorithm.steps_formula = "ceil(log_K P)";
    algorithm.volume_formula =
        "children of the root: (K - 1) floor(log_K (P - 1)) + highest digit of P - 1";
    algorithm.steps = [radix](const Topology& topology) {
        return KNomialTree(topology.size(), radix).levels();
    };
    algorithm.volume = [radix](const Topology& topology) {
        return 1.0 * KNomialTree(topology.size(), radix).root_degree();
    };
    algorithm.program = backwards_of("reduce", algorithm.name);
    return algorithm;
}

const AlgorithmRegistration registration(AlgorithmFamily{
    "broadcast", "k_nomial", "k_nomial:K", {"4"}, make});

}  // namespace

}  // namespace shardstone::collectives
