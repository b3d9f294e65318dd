// SPDX-License-Identifier: BSD-3-Clause
// Linear all-to-all. MPI: A Message-Passing Interface Standard, 1994, section 4.8, where this is
// how the operation is defined.
//
// Every rank sends every other its share at once, beginning with its neighbour, so that not all
// send to the same rank first: the pairwise exchange, without waiting in between.
//
// Steps: 1. Volume: every rank sends (P - 1) / P of its vector, the least possible.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm linear() {
    Algorithm algorithm;
    algorithm.name = "linear";
    algorithm.summary = "each sends every other its share at once; one step";
    algorithm.citation = "MPI Forum 1994";
    algorithm.steps_formula = "1  (P = 1: 0)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::one_step;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = at_once("all_to_all", "pairwise");
    return algorithm;
}

const AlgorithmRegistration linear_registration("all_to_all", linear());

}  // namespace

}  // namespace shardstone::collectives
