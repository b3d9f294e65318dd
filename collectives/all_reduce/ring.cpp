// SPDX-License-Identifier: BSD-3-Clause
// Ring all-reduce. P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters
// of workstations", Journal of Parallel and Distributed Computing 69(2), 2009.
//
// The vector is cut into P blocks. Reduce-scatter: in step s, rank r passes block r - s - 1 to its
// right neighbour, who adds it in, so that after P - 1 steps block r is finished on rank r.
// All-gather: the finished blocks go round once more.
//
// Steps: 2 (P - 1). Volume: every rank sends 2 (P - 1) / P of the vector, the least possible.
#include "collectives/all_reduce/registry.hpp"

namespace shardstone::collectives {

namespace {

struct Ring {
    int size, rank;

    int right() const { return (rank + 1) % size; }
    int left() const { return (rank + size - 1) % size; }
    /// The block `distance` places before this rank's own; distance < 2 * size.
    BlockRange behind(int distance) const { return {(rank - distance + 2 * size) % size, 1}; }
};

RankProgram reduce_scatter(const Topology& topology, int rank) {
    const Ring ring{topology.size(), rank};
    ProgramBuilder program(ring.size);
    for (int step = 0; step < ring.size - 1; ++step) {
        program.send(step, ring.right(), ring.behind(step + 1));
        program.receive_reduce(step, ring.left(), ring.behind(step + 2));
    }
    return program.build();
}

RankProgram all_gather(const Topology& topology, int rank) {
    const Ring ring{topology.size(), rank};
    ProgramBuilder program(ring.size);
    for (int step = 0; step < ring.size - 1; ++step) {
        program.send(step, ring.right(), ring.behind(step));
        program.receive_replace(step, ring.left(), ring.behind(step + 1));
    }
    return program.build();
}

AllReduceAlgorithm ring() {
    AllReduceAlgorithm algorithm;
    algorithm.name = "ring";
    algorithm.summary = "neighbours pass blocks round twice; the least volume, many steps";
    algorithm.citation = "Patarasuk and Yuan 2009";
    algorithm.steps_formula = "2 (P - 1)";
    algorithm.volume_formula = "2 (P - 1) / P";
    algorithm.steps = [](const Topology& topology) { return 2 * (topology.size() - 1); };
    algorithm.volume = [](const Topology& topology) {
        return 2.0 * (topology.size() - 1) / topology.size();
    };
    algorithm.reduce_scatter = reduce_scatter;
    algorithm.all_gather = all_gather;
    return algorithm;
}

const AllReduceRegistration registration(ring());

}  // namespace

}  // namespace shardstone::collectives
