// SPDX-License-Identifier: BSD-3-Clause
// Ring all-reduce. P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters
// of workstations", Journal of Parallel and Distributed Computing 69(2), 2009.
//
// The ring reduce-scatter, then the ring all-gather of what it leaves on each rank.
//
// Steps: 2 (P - 1). Volume: every rank sends 2 (P - 1) / P of the vector, the least possible.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"

namespace shardstone::collectives {

namespace {

/// Looked up when it is used: the other file may register itself after this one.
Generator ring_for(const char* operation) {
    return [operation](const Topology& topology, int rank) {
        return find_algorithm(operation, "ring").program(topology, rank);
    };
}

Algorithm ring() {
    Algorithm algorithm;
    algorithm.name = "ring";
    algorithm.summary = "blocks travel round the ring twice; the least volume, many steps";
    algorithm.citation = "Patarasuk and Yuan 2009";
    algorithm.steps_formula = "2 (P - 1)";
    algorithm.volume_formula = "2 (P - 1) / P";
    algorithm.steps = [](const Topology& topology) { return 2 * (topology.size() - 1); };
    algorithm.volume = [](const Topology& topology) {
        return 2 * count::all_but_a_share(topology);
    };
    algorithm.reduce_scatter = ring_for("reduce_scatter");
    algorithm.all_gather = ring_for("all_gather");
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration ring_registration("all_reduce", ring());

}  // namespace

}  // namespace shardstone::collectives
