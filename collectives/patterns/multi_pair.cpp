// SPDX-License-Identifier: BSD-3-Clause
// Multi-pair: every rank of the first half sends to its counterpart in the second half; of an odd
// number of ranks the last is idle. With nodes filled in rank order all messages cross the middle
// of the network, whose bandwidth this measures.
//
// Steps: 1. Volume: 1 vector.
#include "collectives/patterns/pattern.hpp"

namespace shardstone::collectives {

namespace {

RankProgram multi_pair_program(const Topology& topology, int rank) {
    const int half = topology.size() / 2;
    RankProgramBuilder pairs(2);
    if (rank < half) {
        pairs.send(0, rank + half, Pattern::mine);
    } else if (rank < 2 * half) {
        pairs.receive_replace(0, rank - half, Pattern::theirs);
    }
    return pairs.build();
}

int multi_pair_source(const RankRole& role) {
    const int half = role.size / 2;
    return role.rank >= half && role.rank < 2 * half ? role.rank - half : -1;
}

Pattern multi_pair() {
    Pattern pattern;
    pattern.name = "multi_pair";
    pattern.summary = "first half of the ranks sends to the second half at once";
    pattern.citation = "OSU osu_mbw_mr";
    pattern.source_of = multi_pair_source;
    pattern.program = multi_pair_program;
    return pattern;
}

const PatternRegistration multi_pair_registration(multi_pair());

}  // namespace

}  // namespace shardstone::collectives
