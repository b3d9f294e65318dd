// SPDX-License-Identifier: BSD-3-Clause
// Bidirectional: the first and the last rank send to each other at once, which loads a link in both
// directions.
//
// Steps: 1. Volume: 1 vector.
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

constexpr BlockRange mine{0, 1};
constexpr BlockRange theirs{1, 1};

int source_of(const Seat& seat) {
    const int last = seat.size - 1;
    return last > 0 && (seat.rank == 0 || seat.rank == last) ? last - seat.rank : -1;
}

RankProgram program(const Topology& topology, int rank) {
    const int other = source_of({topology.size(), 0, rank});
    ProgramBuilder exchange(2);
    if (other >= 0) {
        exchange.send(0, other, mine);
        exchange.receive_replace(0, other, theirs);
    }
    return exchange.build();
}

Content after(const Seat& seat, int block) {
    const int from = source_of(seat);
    return block == 1 && from >= 0 ? Content{from, from} : Content{};
}

Operation bidirectional() {
    Operation operation;
    operation.name = "bidirectional";
    operation.summary = "first and last rank send to each other at once, the others idle";
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
    algorithm.operation = "bidirectional";
    algorithm.name = "direct";
    algorithm.summary = "the messages of the pattern themselves";
    algorithm.citation = "OSU osu_bibw";
    algorithm.steps_formula = "1";
    algorithm.volume_formula = "1 vector";
    algorithm.steps = [](const Topology& topology) { return topology.size() > 1 ? 1 : 0; };
    algorithm.volume = [](const Topology& topology) { return topology.size() > 1 ? 1.0 : 0.0; };
    algorithm.program = program;
    return algorithm;
}

const OperationRegistration operation(bidirectional());
const AlgorithmRegistration registration(direct());

}  // namespace

}  // namespace shardstone::collectives
