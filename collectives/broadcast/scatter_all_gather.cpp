// SPDX-License-Identifier: BSD-3-Clause
// Scatter, then all-gather, "scatter_all_gather:ALL_GATHER". M. Barnett, L. Shuler, R. van de
// Geijn, S. Gupta, D. Payne, J. Watts, "Interprocessor collective communication library
// (InterCom)", Scalable High-Performance Computing Conference 1994; R. Thakur et al. 2005,
// section 4.4.
//
// The binomial scatter leaves every rank a block of the vector, and ALL_GATHER, any all-gather,
// makes them whole again: the root sends less than two vectors, whatever P.
//
// Steps: ceil(log2 P) and those of ALL_GATHER. Volume: the root sends (P - 1) / P of the vector,
// and then as much as a rank in ALL_GATHER (exact where none there sends more than rank 0).
#include <fmt/format.h>

#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm make_scatter_all_gather(std::string_view argument) {
    const Algorithm gather =
        find_level("all_gather", argument, fmt::format("scatter_all_gather:{}", argument));
    Algorithm algorithm;
    algorithm.name = fmt::format("scatter_all_gather:{}", argument);
    algorithm.summary =
        fmt::format("binomial scatter, then all-gather by {}; least volume", argument);
    algorithm.citation = fmt::format("Barnett et al. 1994; {}", gather.citation);
    algorithm.steps_formula = "ceil(log2 P) + those of the all-gather";
    algorithm.volume_formula = "(P - 1) / P + that of the all-gather";
    run_in_turn(find_algorithm("scatter", "binomial_tree"), gather, algorithm);
    return algorithm;
}

const AlgorithmRegistration scatter_all_gather_registration("broadcast",
                                                            AlgorithmFamily{
                                                                "scatter_all_gather",
                                                                "scatter_all_gather:ALL_GATHER",
                                                                {"ring", "bruck"},
                                                                make_scatter_all_gather});

}  // namespace

}  // namespace shardstone::collectives
