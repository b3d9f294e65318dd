// SPDX-License-Identifier: BSD-3-Clause
// Ring shift: every rank sends to its right neighbour while it receives from its left one, which
// loads every link of a ring in one direction at once.
//
// Steps: 1. Volume: 1 vector.
#include "collectives/patterns/pattern.hpp"

namespace shardstone::collectives {

namespace {

RankProgram ring_shift_program(const Topology& topology, int rank) {
    const int size = topology.size();
    RankProgramBuilder shift(2);
    if (size > 1) {
        shift.send(0, (rank + 1) % size, Pattern::mine);
        shift.receive_replace(0, (rank + size - 1) % size, Pattern::theirs);
    }
    return shift.build();
}

int ring_shift_source(const RankRole& role) {
    return role.size > 1 ? (role.rank + role.size - 1) % role.size : -1;
}

Pattern ring_shift() {
    Pattern pattern;
    pattern.name = "ring_shift";
    pattern.summary = "every rank sends to its right neighbour at once";
    pattern.citation = "Intel MPI Benchmarks, Sendrecv";
    pattern.source_of = ring_shift_source;
    pattern.program = ring_shift_program;
    return pattern;
}

const PatternRegistration ring_shift_registration(ring_shift());

}  // namespace

}  // namespace shardstone::collectives
