// SPDX-License-Identifier: BSD-3-Clause
// Recursive halving. R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", Int. J. of High Performance Computing Applications 19(1),
// 2005, section 4.2.
//
// Partners at distance p/2, p/4, ..., 1 send each other the half of their range that the other
// keeps, and add. Where P is no power of two, each of the first P - p odd ranks gives its vector to
// its left neighbour, which stands for both, and gets its finished share at the end.
//
// With p the largest power of two not above P, and f = 1 when P > p, else 0:
// Steps: log2 p + 2 f. Volume: (P - 1) / P; a rank that gives its vector away sends 1.
#include <algorithm>
#include <vector>

#include "collectives/operation/algorithm.hpp"
#include "collectives/schedule/compose.hpp"
#include "collectives/schedule/halving.hpp"

namespace shardstone::collectives {

namespace {

/// Pairs of neighbours act as one, so that the ranks left are a power of two, and the shares that
/// one of these stands for are a range.
struct Pairs {
    int size;
    int core = power_of_two_below(size);
    int pairs = size - core;

    int first_rank(int member) const { return member + std::min(member, pairs); }
    BlockRange shares(BlockRange members) const {
        const int first = first_rank(members.first);
        return {first, first_rank(members.end()) - first};
    }
    /// Of a rank that stands for itself at least.
    int member(int rank) const { return rank < 2 * pairs ? rank / 2 : rank - pairs; }
    Fold fold(int rank) const {
        if (rank >= 2 * pairs) return {};
        if (rank % 2 == 1) return {rank - 1, {}};
        return {-1, {rank + 1}};
    }
};

RankProgram halves(const Pairs& pairs, int rank) {
    Halving shares = distance_halving(pairs.core);
    shares.kept = [pairs, kept = shares.kept](int member, int steps) {
        return pairs.shares(kept(member, steps));
    };
    const auto program = reduce_scatter_by_halves(shares, pairs.size, pairs.member(rank));
    ProgramMapping members;
    members.rank = [pairs](int member) { return pairs.first_rank(member); };
    RankProgramBuilder all(pairs.size);
    embed(program, members, all);
    return all.build();
}

int steps(const Topology& topology) {
    const Pairs pairs{topology.size()};
    return distance_halving(pairs.core).steps + (pairs.pairs > 0 ? 2 : 0);
}

RankProgram recursive_halving_program(const Topology& topology, int rank) {
    const Pairs pairs{topology.size()};
    const Fold fold = pairs.fold(rank);
    const std::vector<BlockRange> whole{{0, pairs.size}};
    const RankProgram core =
        fold.partner < 0 ? halves(pairs, rank) : RankProgramBuilder(pairs.size).build();
    const RankProgram first = in_sequence(fold_in(fold, whole), pairs.pairs > 0 ? 1 : 0, core);
    RankProgramBuilder share(pairs.size);
    if (fold.partner >= 0) share.receive_replace(0, fold.partner, {rank, 1});
    for (const int absorbed : fold.absorbed) share.send(0, absorbed, {absorbed, 1});
    return in_sequence(first, steps(topology) - 1, share.build());
}

Algorithm recursive_halving() {
    Algorithm algorithm;
    algorithm.name = "recursive_halving";
    algorithm.summary = "partners at halved distance send each other half; few steps";
    algorithm.citation = "Thakur, Rabenseifner and Gropp 2005";
    algorithm.steps_formula = "log2 p + 2 f  (p: largest power of two <= P; f: 1 if P > p else 0)";
    algorithm.volume_formula = "(P - 1) / P  (P > p: 1)";
    algorithm.steps = steps;
    algorithm.volume = [](const Topology& topology) {
        const Pairs pairs{topology.size()};
        return pairs.pairs > 0 ? 1.0 : 1.0 * (pairs.size - 1) / pairs.size;
    };
    algorithm.program = recursive_halving_program;
    return algorithm;
}

const AlgorithmRegistration recursive_halving_registration("reduce_scatter", recursive_halving());

}  // namespace

}  // namespace shardstone::collectives
