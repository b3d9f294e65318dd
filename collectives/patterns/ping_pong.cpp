// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong between the first and the last rank: a message goes there and comes back, one at a
// time.
//
// Steps: 2. Volume: 1 vector each way.
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

constexpr BlockRange mine{0, 1};
constexpr BlockRange theirs{1, 1};

RankProgram program(const Topology& topology, int rank) {
    const int last = topology.size() - 1;
    ProgramBuilder game(2);
    if (last > 0 && rank == 0) {
        game.send(0, last, mine);
        game.receive_replace(1, last, theirs);
    } else if (last > 0 && rank == last) {
        game.receive_replace(0, 0, theirs);
        game.send(1, 0, theirs);
    }
    return game.build();
}

/// Both ends have the first rank's message: one got it, the other got it back.
int source_of(const Seat& seat) {
    return seat.size > 1 && (seat.rank == 0 || seat.rank == seat.size - 1) ? 0 : -1;
}

Content after(const Seat& seat, int block) {
    const int from = source_of(seat);
    return block == 1 && from >= 0 ? Content{from, from} : Content{};
}

Operation ping_pong() {
    Operation operation;
    operation.name = "ping_pong";
    operation.summary = "first rank to last rank and back, the others idle";
    operation.sharing = Sharing::message;
    operation.before = [](const Seat& seat, int block) {
        return block == 0 ? Content{seat.rank, seat.rank} : Content{};
    };
    operation.after = after;
    operation.bus_factor = [](int) { return 2.0; };
    return operation;
}

Algorithm direct() {
    Algorithm algorithm;
    algorithm.operation = "ping_pong";
    algorithm.name = "direct";
    algorithm.summary = "the messages of the pattern themselves";
    algorithm.citation = "R. W. Hockney 1994; OSU osu_latency";
    algorithm.steps_formula = "2";
    algorithm.volume_formula = "1 vector each way";
    algorithm.steps = [](const Topology& topology) { return topology.size() > 1 ? 2 : 0; };
    algorithm.volume = [](const Topology& topology) { return topology.size() > 1 ? 1.0 : 0.0; };
    algorithm.program = program;
    return algorithm;
}

const OperationRegistration operation(ping_pong());
const AlgorithmRegistration registration(direct());

}  // namespace

}  // namespace shardstone::collectives
