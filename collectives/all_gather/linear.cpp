// SPDX-License-Identifier: BSD-3-Clause
// Linear all-gather. MPI: A Message-Passing Interface Standard, 1994, section 4.7, where this is
// how the operation is defined.
//
// Every rank sends its share to all others at once.
//
// Steps: 1. Volume: every rank sends (P - 1) / P of the vector, the least possible.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm linear() {
    Algorithm algorithm;
    algorithm.name = "linear";
    algorithm.summary = "each sends its share to all at once; one step";
    algorithm.citation = "MPI Forum 1994";
    algorithm.steps_formula = "1  (P = 1: 0)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::one_step;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = backwards_of("reduce_scatter", "linear");
    return algorithm;
}

const AlgorithmRegistration linear_registration("all_gather", linear());

}  // namespace

}  // namespace shardstone::collectives
