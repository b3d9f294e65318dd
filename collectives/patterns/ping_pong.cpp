// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong between the first and the last rank: a message goes there and comes back, one at a
// time.
//
// Steps: 2. Volume: 1 vector each way.
#include "collectives/patterns/pattern.hpp"

namespace shardstone::collectives {

namespace {

RankProgram ping_pong_program(const Topology& topology, int rank) {
    const int last = topology.size() - 1;
    RankProgramBuilder game(2);
    if (last > 0 && rank == 0) {
        game.send(0, last, Pattern::mine);
        game.receive_replace(1, last, Pattern::theirs);
    } else if (last > 0 && rank == last) {
        game.receive_replace(0, 0, Pattern::theirs);
        game.send(1, 0, Pattern::theirs);
    }
    return game.build();
}

/// Both ends have the first rank's message: one got it, the other got it back.
int ping_pong_source(const RankRole& role) {
    return role.size > 1 && (role.rank == 0 || role.rank == role.size - 1) ? 0 : -1;
}

Pattern ping_pong() {
    Pattern pattern;
    pattern.name = "ping_pong";
    pattern.summary = "first rank to last rank and back, the others idle";
    pattern.citation = "R. W. Hockney 1994; OSU osu_latency";
    pattern.turns = 2;
    pattern.source_of = ping_pong_source;
    pattern.program = ping_pong_program;
    return pattern;
}

const PatternRegistration ping_pong_registration(ping_pong());

}  // namespace

}  // namespace shardstone::collectives
