// SPDX-License-Identifier: BSD-3-Clause
// Ring shift: every rank sends to its right neighbour while it receives from its left one, which
// loads every link of a ring in one direction at once.
//
// Steps: 1. Volume: 1 vector.
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

constexpr BlockRange mine{0, 1};
constexpr BlockRange theirs{1, 1};

RankProgram program(const Topology& topology, int rank) {
    const int size = topology.size();
    ProgramBuilder shift(2);
    if (size > 1) {
        shift.send(0, (rank + 1) % size, mine);
        shift.receive_replace(0, (rank + size - 1) % size, theirs);
    }
    return shift.build();
}

int source_of(const Seat& seat) {
    return seat.size > 1 ? (seat.rank + seat.size - 1) % seat.size : -1;
}

Content after(const Seat& seat, int block) {
    const int from = source_of(seat);
    return block == 1 && from >= 0 ? Content{from, from} : Content{};
}

Operation ring_shift() {
    Operation operation;
    operation.name = "ring_shift";
    operation.summary = "every rank sends to its right neighbour at once";
    operation.sharing = Sharing::message;
    operation.before = [](const Seat& seat, int block) {
        return block == 0 ? Content{seat.rank, seat.rank} : Content{};
    };
    operation.after = after;
    operation.bus_factor = [](int) { return 1.0; };
    return operation;
}

Algorithm direct() {
    Algorithm algorithm;
    algorithm.operation = "ring_shift";
    algorithm.name = "direct";
    algorithm.summary = "the messages of the pattern themselves";
    algorithm.citation = "Intel MPI Benchmarks, Sendrecv";
    algorithm.steps_formula = "1";
    algorithm.volume_formula = "1 vector";
    algorithm.steps = [](const Topology& topology) { return topology.size() > 1 ? 1 : 0; };
    algorithm.volume = [](const Topology& topology) { return topology.size() > 1 ? 1.0 : 0.0; };
    algorithm.program = program;
    return algorithm;
}

const OperationRegistration operation(ring_shift());
const AlgorithmRegistration registration(direct());

}  // namespace

}  // namespace shardstone::collectives
