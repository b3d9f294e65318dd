// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter, then gather, "reduce_scatter_gather:REDUCE_SCATTER". R. Rabenseifner,
// "Optimization of collective reduction operations", ICCS 2004; R. Thakur et al. 2005, section 4.6.
//
// REDUCE_SCATTER, any, leaves every rank a finished block of the result, and the binomial gather
// brings them to the root: no rank sends two vectors, and all share the additions.
//
// Steps: those of REDUCE_SCATTER and ceil(log2 P). Volume: that of both (exact where all ranks send
// the same in the first, otherwise no rank sends more).
#include <fmt/format.h>

#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm make_reduce_scatter_gather(std::string_view argument) {
    const Algorithm first =
        find_level("reduce_scatter", argument, fmt::format("reduce_scatter_gather:{}", argument));
    Algorithm algorithm;
    algorithm.name = fmt::format("reduce_scatter_gather:{}", argument);
    algorithm.summary =
        fmt::format("reduce-scatter by {}, then binomial gather; least volume", argument);
    algorithm.citation = fmt::format("Rabenseifner 2004; {}", first.citation);
    algorithm.steps_formula = "those of the reduce-scatter + ceil(log2 P)";
    algorithm.volume_formula = "that of the reduce-scatter + max(P - 2^(L-1), 2^(L-2)) / P";
    run_in_turn(first, find_algorithm("gather", "binomial_tree"), algorithm);
    return algorithm;
}

const AlgorithmRegistration reduce_scatter_gather_registration(
    "reduce", AlgorithmFamily{"reduce_scatter_gather",
                              "reduce_scatter_gather:REDUCE_SCATTER",
                              {"circulant", "ring"},
                              make_reduce_scatter_gather});

}  // namespace

}  // namespace shardstone::collectives
