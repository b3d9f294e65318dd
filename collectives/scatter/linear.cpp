// SPDX-License-Identifier: BSD-3-Clause
// Linear scatter. MPI: A Message-Passing Interface Standard, 1994, section 4.6, where this is
// how the operation is defined.
//
// The root sends every share to the rank it is for at once: no share travels twice.
//
// Steps: 1. Volume: the root sends (P - 1) / P of the vector.
#include "collectives/operation/derive.hpp"
#include "collectives/schedule/trees.hpp"

namespace shardstone::collectives {

namespace {

Algorithm linear() {
    Algorithm algorithm;
    algorithm.operation = "scatter";
    algorithm.name = "linear";
    algorithm.summary = "the root sends each its share at once; one step";
    algorithm.citation = "MPI Forum 1994";
    algorithm.steps_formula = "1  (P = 1: 0)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = [](const Topology& topology) {
        return KNomialTree::flat(topology.size()).levels();
    };
    algorithm.volume = [](const Topology& topology) {
        return 1.0 * (topology.size() - 1) / topology.size();
    };
    algorithm.program = backwards_of("gather", "linear");
    return algorithm;
}

const AlgorithmRegistration registration(linear());

}  // namespace

}  // namespace shardstone::collectives
