// SPDX-License-Identifier: BSD-3-Clause
// Bruck's all-to-all, for equal shares. J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby,
// "Efficient algorithms for all-to-all communications in multiport message-passing systems", IEEE
// Transactions on Parallel and Distributed Systems 8(11), 1997.
//
// A share that has i ranks to go travels 2^k ranks for every digit k of i that is 1, the lowest
// first, together with all others that have the same digit: few long messages in place of many
// short ones. Between its first and its last hop a share is in scratch, where it arrives by its
// first hop in one half, by its second in the other and so on, so that no step receives over what
// it still sends.
//
// Steps: ceil(log2 P). Volume: the digits that are 1 of all of 1, 2, ... P - 1, over P: about
// (log2 P) / 2 vectors.
#include <bit>

#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"

namespace shardstone::collectives {

namespace {

int ones(int number) {
    return std::popcount(static_cast<unsigned>(number));
}

/// What has `to_go` ranks to go from where it began, on `rank`, which it has reached by the digits
/// of `gone`.
BlockRange place_of(int to_go, int gone, int rank, int size) {
    if (gone == 0) return {(rank + to_go) % size, 1};
    if (gone == to_go) return {size + (rank - to_go + size) % size, 1};
    return {(2 + ones(gone) % 2) * size + to_go, 1};
}

RankProgram bruck_program(const Topology& topology, int rank) {
    const int size = topology.size();
    RankProgramBuilder exchange(4 * size);
    int step = 0;
    for (int digit = 1; digit < size; digit *= 2, ++step) {
        const int to = (rank + digit) % size;
        const int from = (rank - digit + size) % size;
        for (int to_go = 1; to_go < size; ++to_go) {
            if ((to_go & digit) == 0) continue;
            const int before = to_go & (digit - 1);
            exchange.send(step, to, place_of(to_go, before, rank, size));
            exchange.receive_replace(step, from, place_of(to_go, before | digit, rank, size));
        }
    }
    return exchange.build();
}

Algorithm bruck() {
    Algorithm algorithm;
    algorithm.name = "bruck";
    algorithm.summary = "shares travel by the digits of their distance; the fewest steps";
    algorithm.citation = "Bruck et al. 1997";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "binary digits 1 in 1, 2 ... P - 1, together / P";
    algorithm.steps = count::log2_up;
    algorithm.volume = [](const Topology& topology) {
        int shares = 0;
        for (int to_go = 1; to_go < topology.size(); ++to_go) shares += ones(to_go);
        return 1.0 * shares / topology.size();
    };
    algorithm.program = bruck_program;
    algorithm.equal_shares_only = true;
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration bruck_registration("all_to_all", bruck());

}  // namespace

}  // namespace shardstone::collectives
