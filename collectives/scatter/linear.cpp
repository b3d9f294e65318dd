// SPDX-License-Identifier: BSD-3-Clause
// Linear scatter. MPI: A Message-Passing Interface Standard, 1994, section 4.6, where this is
// how the operation is defined.
//
// The root sends every share to the rank it is for at once: no share travels twice.
//
// Steps: 1. Volume: the root sends (P - 1) / P of the vector.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm linear() {
    Algorithm algorithm;
    algorithm.name = "linear";
    algorithm.summary = "the root sends each its share at once; one step";
    algorithm.citation = "MPI Forum 1994";
    algorithm.steps_formula = "1  (P = 1: 0)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::one_step;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = backwards_of("gather", "linear");
    return algorithm;
}

const AlgorithmRegistration linear_registration("scatter", linear());

}  // namespace

}  // namespace shardstone::collectives
