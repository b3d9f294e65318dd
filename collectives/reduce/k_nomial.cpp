// SPDX-License-Identifier: BSD-3-Clause
// K-nomial tree reduction, "k_nomial:K". M. Wilkins et al., "Generalized collective
// algorithms for the exascale era", IEEE Cluster 2023. The binomial tree is that of radix 2.
//
// In step k, the up to K - 1 ranks that differ from their parent in digit k, base K, send it their
// sums: fewer steps than the binomial tree, in each of which a parent has more to receive.
//
// Steps: ceil(log_K P). Volume: every rank but the root sends 1 vector.
#include <fmt/format.h>

#include "collectives/operation/derive.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm make(std::string_view argument) {
    const int radix = number_argument("k_nomial", argument, "a radix", 2, 1024);
    Algorithm algorithm;
    algorithm.operation = "reduce";
    algorithm.name = fmt::format("k_nomial:{}", radix);
    algorithm.summary =
        fmt::format("a tree of radix {}: fewer steps, more messages in each", radix);
    algorithm.citation = "Wilkins et al. 2023";
    algorithm.steps_formula = "ceil(log_K P)";
    algorithm.volume_formula = "1";
    algorithm.steps = [radix](const Topology& topology) {
        return KNomialTree(topology.size(), radix).levels();
    };
    algorithm.volume = [](const Topology& topology) { return topology.size() > 1 ? 1.0 : 0.0; };
    algorithm.program = [radix](const Topology& topology, int rank) {
        return KNomialTree(topology.size(), radix).reduce(rank);
    };
    return algorithm;
}

const AlgorithmRegistration registration(AlgorithmFamily{
    "reduce", "k_nomial", "k_nomial:K", {"4"}, make});

}  // namespace

}  // namespace shardstone::collectives
