// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree scatter. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.1.
//
// Who has the shares of a branch sends those of its far half to the rank that heads it: the
// binomial gather run backwards.
//
// Steps: ceil(log2 P), the fewest. Volume: the root sends (P - 1) / P of the vector.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm binomial_tree() {
    Algorithm algorithm;
    algorithm.name = "binomial_tree";
    algorithm.summary = "halves of what is left go to the rank that heads them; the fewest steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::log2_up;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = backwards_of("gather", "binomial_tree");
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration binomial_tree_registration("scatter", binomial_tree());

}  // namespace

}  // namespace shardstone::collectives
