// SPDX-License-Identifier: BSD-3-Clause
// Name, steps and radix argument that the k-nomial trees of all operations have in common.
#include "collectives/operation/k_nomial_family.hpp"

#include <fmt/format.h>

#include "collectives/operation/derive.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

Algorithm through_k_nomial_tree(int radix) {
    Algorithm algorithm;
    algorithm.name = fmt::format("k_nomial:{}", radix);
    algorithm.summary =
        fmt::format("a tree of radix {}: fewer steps, more messages in each", radix);
    algorithm.citation = "Wilkins et al. 2023";
    algorithm.steps_formula = "ceil(log_K P)";
    algorithm.steps = [radix](const Topology& topology) {
        return KNomialTree(topology.size(), radix).levels();
    };
    return algorithm;
}

AlgorithmFamily k_nomial_family(Algorithm (*make)(int radix)) {
    return {"k_nomial", "k_nomial:K", {"4"}, [make](std::string_view radix) {
                return make(number_argument("k_nomial", radix, "a radix", 2, 1024));
            }};
}

}  // namespace shardstone::collectives
