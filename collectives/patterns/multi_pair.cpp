// SPDX-License-Identifier: BSD-3-Clause
// Multi-pair: every rank of the first half sends to its counterpart in the second half; of an odd
// number of ranks the last is idle. With nodes filled in rank order all messages cross the middle
// of the network, whose bandwidth this measures.
//
// Steps: 1. Volume: 1 vector.
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

constexpr BlockRange mine{0, 1};
constexpr BlockRange theirs{1, 1};

RankProgram program(const Topology& topology, int rank) {
    const int half = topology.size() / 2;
    ProgramBuilder pairs(2);
    if (rank < half) {
        pairs.send(0, rank + half, mine);
    } else if (rank < 2 * half) {
        pairs.receive_replace(0, rank - half, theirs);
    }
    return pairs.build();
}

int source_of(const Seat& seat) {
    const int half = seat.size / 2;
    return seat.rank >= half && seat.rank < 2 * half ? seat.rank - half : -1;
}

Content after(const Seat& seat, int block) {
    const int from = source_of(seat);
    return block == 1 && from >= 0 ? Content{from, from} : Content{};
}

Operation multi_pair() {
    Operation operation;
    operation.name = "multi_pair";
    operation.summary = "first half of the ranks sends to the second half at once";
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
    algorithm.operation = "multi_pair";
    algorithm.name = "direct";
    algorithm.summary = "the messages of the pattern themselves";
    algorithm.citation = "OSU osu_mbw_mr";
    algorithm.steps_formula = "1";
    algorithm.volume_formula = "1 vector";
    algorithm.steps = [](const Topology& topology) { return topology.size() > 1 ? 1 : 0; };
    algorithm.volume = [](const Topology& topology) { return topology.size() > 1 ? 1.0 : 0.0; };
    algorithm.program = program;
    return algorithm;
}

const OperationRegistration operation(multi_pair());
const AlgorithmRegistration registration(direct());

}  // namespace

}  // namespace shardstone::collectives
