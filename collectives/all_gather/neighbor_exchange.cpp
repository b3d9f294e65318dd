// SPDX-License-Identifier: BSD-3-Clause
// Neighbour exchange. J. Chen, L. Zhang, Y. Zhang, W. Yuan, "Performance evaluation of allgather
// algorithms on terascale Linux cluster with fast Ethernet", HPC-Asia 2005.
//
// For even P, every rank only ever talks to its two neighbours, in turn: first to the other rank of
// its pair (2 g, 2 g + 1), and then it always passes on the two shares it got last. For odd P,
// where pairs do not come out even, it is the ring.
//
// Steps: P / 2 for even P, else P - 1. Volume: every rank sends (P - 1) / P of the vector, the
// least possible.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

/// The pair that a rank of pair 0 holds the shares of since `step`, the even one or the odd one.
int pair_got(int step, bool even) {
    const int distance = (step + 1) / 2;
    return (step % 2 == 0) == even ? distance : -distance;
}

RankProgram neighbor_exchange_program(const Topology& topology, int rank) {
    const int size = topology.size();
    if (size % 2 == 1) return find_algorithm("all_gather", "ring").program(topology, rank);
    const bool even = rank % 2 == 0;
    const auto shares = [=](int pair) {
        return BlockRange{(rank - rank % 2 + 2 * pair + size) % size, 2};
    };
    const int other = rank ^ 1;
    RankProgramBuilder exchange(size);
    exchange.send(0, other, {rank, 1});
    exchange.receive_replace(0, other, {other, 1});
    for (int step = 1; step < size / 2; ++step) {
        const bool to_right = (step % 2 == 0) == even;
        const int neighbor = (rank + (to_right ? 1 : size - 1)) % size;
        exchange.send(step, neighbor, shares(pair_got(step - 1, even)));
        exchange.receive_replace(step, neighbor, shares(pair_got(step, even)));
    }
    return exchange.build();
}

Algorithm neighbor_exchange() {
    Algorithm algorithm;
    algorithm.name = "neighbor_exchange";
    algorithm.summary =
        "pairs of shares alternately to the left and right; half the steps of the ring";
    algorithm.citation = "Chen, Zhang, Zhang and Yuan 2005";
    algorithm.steps_formula = "P / 2  (odd P: the ring, P - 1)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = [](const Topology& topology) {
        return topology.size() % 2 == 0 ? topology.size() / 2 : topology.size() - 1;
    };
    algorithm.volume = count::all_but_a_share;
    algorithm.program = neighbor_exchange_program;
    return algorithm;
}

const AlgorithmRegistration neighbor_exchange_registration("all_gather", neighbor_exchange());

}  // namespace

}  // namespace shardstone::collectives
