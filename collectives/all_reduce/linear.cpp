// SPDX-License-Identifier: BSD-3-Clause
// Linear all-reduce. MPI: A Message-Passing Interface Standard, 1994, section 4.9, where this is
// how the operation is defined.
//
// All others send to rank 0 at once, which adds the vectors up in rank order and sends all of them
// the result.
//
// Steps: 2. Volume: rank 0 sends P - 1 vectors, the most possible.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm linear() {
    Algorithm algorithm;
    algorithm.name = "linear";
    algorithm.summary = "all ranks to rank 0 and back; two steps";
    algorithm.citation = "MPI Forum 1994";
    algorithm.steps_formula = "2  (P = 1: 0)";
    algorithm.volume_formula = "P - 1";
    algorithm.steps = [](const Topology& topology) { return 2 * count::one_step(topology); };
    algorithm.volume = [](const Topology& topology) { return topology.size() - 1.0; };
    algorithm.program = there_and_back("reduce", "linear");
    return algorithm;
}

const AlgorithmRegistration linear_registration("all_reduce", linear());

}  // namespace

}  // namespace shardstone::collectives
