// SPDX-License-Identifier: BSD-3-Clause
// Linear all-to-all. MPI: A Message-Passing Interface Standard, 1994, section 4.8, where this is
// how the operation is defined.
//
// Every rank sends every other its share at once, beginning with its neighbour, so that not all
// send to the same rank first.
//
// Steps: 1. Volume: every rank sends (P - 1) / P of its vector, the least possible.
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

RankProgram program(const Topology& topology, int rank) {
    const int size = topology.size();
    ProgramBuilder exchange(2 * size);
    for (int distance = 1; distance < size; ++distance) {
        const int to = (rank + distance) % size;
        const int from = (rank - distance + size) % size;
        exchange.send(0, to, {to, 1});
        exchange.receive_replace(0, from, {size + from, 1});
    }
    return exchange.build();
}

Algorithm linear() {
    Algorithm algorithm;
    algorithm.operation = "all_to_all";
    algorithm.name = "linear";
    algorithm.summary = "each sends every other its share at once; one step";
    algorithm.citation = "MPI Forum 1994";
    algorithm.steps_formula = "1  (P = 1: 0)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = [](const Topology& topology) { return topology.size() > 1 ? 1 : 0; };
    algorithm.volume = [](const Topology& topology) {
        return 1.0 * (topology.size() - 1) / topology.size();
    };
    algorithm.program = program;
    return algorithm;
}

const AlgorithmRegistration registration(linear());

}  // namespace

}  // namespace shardstone::collectives
