// SPDX-License-Identifier: BSD-3-Clause
// Bidirectional: the first and the last rank send to each other at once, which loads a link in both
// directions.
//
// Steps: 1. Volume: 1 vector.
#include "collectives/patterns/pattern.hpp"

namespace shardstone::collectives {

namespace {

int bidirectional_source(const RankRole& role) {
    const int last = role.size - 1;
    return last > 0 && (role.rank == 0 || role.rank == last) ? last - role.rank : -1;
}

RankProgram bidirectional_program(const Topology& topology, int rank) {
    const int other = bidirectional_source({topology.size(), 0, rank});
    RankProgramBuilder exchange(2);
    if (other >= 0) {
        exchange.send(0, other, Pattern::mine);
        exchange.receive_replace(0, other, Pattern::theirs);
    }
    return exchange.build();
}

Pattern bidirectional() {
    Pattern pattern;
    pattern.name = "bidirectional";
    pattern.summary = "first and last rank send to each other at once, the others idle";
    pattern.citation = "OSU osu_bibw";
    pattern.source_of = bidirectional_source;
    pattern.program = bidirectional_program;
    return pattern;
}

const PatternRegistration bidirectional_registration(bidirectional());

}  // namespace

}  // namespace shardstone::collectives
