// SPDX-License-Identifier: BSD-3-Clause
// Bruck's all-gather. J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms
// for all-to-all communications in multiport message-passing systems", IEEE Transactions on
// Parallel and Distributed Systems 8(11), 1997.
//
// A rank that holds the h shares from its own on sends them to the rank h behind, and gets the next
// h from the rank h ahead; the last time only as many as are missing. The original rotates the
// vector so that shares are in one piece; here a range that goes round the end is two.
//
// Steps: ceil(log2 P), the fewest for any P. Volume: every rank sends (P - 1) / P of the vector,
// the least possible.
#include <algorithm>

#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"
#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

namespace {

RankProgram bruck_program(const Topology& topology, int rank) {
    const int size = topology.size();
    RankProgramBuilder exchange(size);
    int step = 0;
    for (int held = 1; held < size; held *= 2, ++step) {
        const int more = std::min(held, size - held);
        const int ahead = (rank + held) % size;
        for (const BlockRange part : wrapped(rank, more, size)) {
            exchange.send(step, (rank - held + size) % size, part);
        }
        for (const BlockRange part : wrapped(ahead, more, size)) {
            exchange.receive_replace(step, ahead, part);
        }
    }
    return exchange.build();
}

Algorithm bruck() {
    Algorithm algorithm;
    algorithm.name = "bruck";
    algorithm.summary = "shares doubled from ever further away; few steps, least volume, any P";
    algorithm.citation = "Bruck et al. 1997";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::log2_up;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = bruck_program;
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration bruck_registration("all_gather", bruck());

}  // namespace

}  // namespace shardstone::collectives
