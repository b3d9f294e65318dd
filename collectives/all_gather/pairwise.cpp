// SPDX-License-Identifier: BSD-3-Clause
// Pairwise all-gather. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.1.
//
// In each step, every rank sends its share to a rank that much nearer: the pairwise reduce-scatter
// run backwards. No share is passed on.
//
// Steps: P - 1. Volume: every rank sends (P - 1) / P of the vector, the least possible.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm pairwise() {
    Algorithm algorithm;
    algorithm.name = "pairwise";
    algorithm.summary = "each sends its share to every other, one after another";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "P - 1";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::others;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = backwards_of("reduce_scatter", "pairwise");
    return algorithm;
}

const AlgorithmRegistration pairwise_registration("all_gather", pairwise());

}  // namespace

}  // namespace shardstone::collectives
