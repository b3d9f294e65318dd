// SPDX-License-Identifier: BSD-3-Clause
// Swing. D. De Sensi, T. Bonato, D. Saam, T. Hoefler, "Swing: short-cutting rings for higher
// bandwidth allreduce", NSDI 2024.
//
// Recursive halving and doubling for a ring or torus, where far partners share links: the partner
// of step s is 1, 1, 3, 5, 11, ... = |1 - (-2)^(s+1)| / 3 away, even ranks to the right in even
// steps and to the left in odd ones, odd ranks the other way round. What is far apart comes last,
// when the halves are small. Blocks are numbered so that what a rank keeps is always one range.
// Ranks beyond a power of two are folded into a partner before and told after.
//
// With p the largest power of two not above P, and f = 1 when P > p, else 0:
// Steps: 2 log2 p + 2 f. Volume: 2 (p - 1) / p, and f more for a folded rank's partner.
#include <bit>
#include <vector>

#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"
#include "collectives/schedule/compose.hpp"
#include "collectives/schedule/halving.hpp"

namespace shardstone::collectives {

namespace {

int partner_of(int rank, int step, int ranks) {
    const std::int64_t power = std::int64_t{2} << step;
    const std::int64_t distance = (1 + (step % 2 == 0 ? power : -power)) / 3;
    const std::int64_t to = rank % 2 == 0 ? rank + distance : rank - distance;
    return static_cast<int>((to % ranks + ranks) % ranks);
}

/// The block that each rank finishes: its digits, the highest first, say in which steps the way
/// from rank 0 to it goes to a partner.
std::vector<int> finished_blocks(int ranks, int steps) {
    std::vector<int> reached{0};
    for (int step = 0; step < steps; ++step) {
        std::vector<int> further;
        for (const int rank : reached) {
            further.push_back(rank);
            further.push_back(partner_of(rank, step, ranks));
        }
        reached = std::move(further);
    }
    std::vector<int> block_of(reached.size());
    for (std::size_t block = 0; block < reached.size(); ++block) {
        block_of[static_cast<std::size_t>(reached[block])] = static_cast<int>(block);
    }
    return block_of;
}

Halving swing_halving(int ranks) {
    Halving halving;
    halving.steps = std::countr_zero(static_cast<unsigned>(ranks));
    halving.partner = [=](int rank, int step) { return partner_of(rank, step, ranks); };
    halving.kept = [=, finished = finished_blocks(ranks, halving.steps)](int rank, int steps) {
        const int length = ranks >> steps;
        return BlockRange{finished[static_cast<std::size_t>(rank)] & ~(length - 1), length};
    };
    return halving;
}

int steps_of_a_half(const Topology& topology) {
    return count::log2_down(topology) + count::folds(topology);
}

RankProgram swing_program(const Topology& topology, int rank) {
    const int size = topology.size();
    const int steps = steps_of_a_half(topology);
    const auto first = folded_reduce_scatter(swing_halving(power_of_two_below(size)), size, rank);
    return in_sequence(first, steps, backwards(first, steps, TransferKind::receive_replace));
}

Algorithm swing() {
    Algorithm algorithm;
    algorithm.name = "swing";
    algorithm.summary = "halving and doubling among near partners; for rings and tori of links";
    algorithm.citation = "De Sensi, Bonato, Saam and Hoefler 2024";
    algorithm.steps_formula =
        "2 log2 p + 2 f  (p: largest power of two <= P; f: 1 if P > p else 0)";
    algorithm.volume_formula = "2 (p - 1) / p + f";
    algorithm.steps = [](const Topology& topology) { return 2 * steps_of_a_half(topology); };
    algorithm.volume = count::halves_both_ways;
    algorithm.program = swing_program;
    return algorithm;
}

const AlgorithmRegistration swing_registration("all_reduce", swing());

}  // namespace

}  // namespace shardstone::collectives
