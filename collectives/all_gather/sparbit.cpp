// SPDX-License-Identifier: BSD-3-Clause
// Sparbit, an all-gather with the largest messages between the nearest ranks. W. J. Loch and G. P.
// Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather algorithm",
// IEEE SBAC-PAD 2021.
//
// The share of the rank that is o behind comes here over the distances that the binary digits of o
// stand for, the greatest first: so in the step of distance d a rank holds the shares o = 0, 2 d, 4
// d ... and gets o + d, where there are so many ranks. Bruck's algorithm goes the other way round,
// and sends most over the greatest distance.
//
// Steps: ceil(log2 P), the fewest for any P. Volume: every rank sends (P - 1) / P of the vector,
// the least possible, in shares that are not neighbours.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"

namespace shardstone::collectives {

namespace {

RankProgram sparbit_program(const Topology& topology, int rank) {
    const int size = topology.size();
    RankProgramBuilder exchange(size);
    const auto behind = [&](int distance) { return (rank - distance + size) % size; };
    int step = 0;
    for (int distance = 1 << count::log2_up(topology) >> 1; distance > 0; distance /= 2, ++step) {
        for (int held = 0; held + distance < size; held += 2 * distance) {
            exchange.send(step, (rank + distance) % size, {behind(held), 1});
            exchange.receive_replace(step, behind(distance), {behind(held + distance), 1});
        }
    }
    return exchange.build();
}

Algorithm sparbit() {
    Algorithm algorithm;
    algorithm.name = "sparbit";
    algorithm.summary = "as Bruck's, but with the largest messages between the nearest ranks";
    algorithm.citation = "Loch and Koslovski 2021";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::log2_up;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = sparbit_program;
    return algorithm;
}

const AlgorithmRegistration sparbit_registration("all_gather", sparbit());

}  // namespace

}  // namespace shardstone::collectives
