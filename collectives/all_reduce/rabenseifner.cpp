// SPDX-License-Identifier: BSD-3-Clause
// Rabenseifner's algorithm. R. Rabenseifner, "Optimization of collective reduction operations",
// ICCS 2004; R. Thakur et al. 2005, section 4.5.
//
// Reduce-scatter by recursive halving: partners at distance p/2, p/4, ..., 1 exchange the half of
// their range that the other keeps, and add. All-gather by recursive doubling, the same backwards.
// Ranks beyond a power of two are folded into a partner before and told after.
//
// With p the largest power of two not above P, and f = 1 when P > p, else 0:
// Steps: 2 log2 p + 2 f. Volume: 2 (p - 1) / p, and f more for a folded rank's partner.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"
#include "collectives/schedule/compose.hpp"
#include "collectives/schedule/halving.hpp"

namespace shardstone::collectives {

namespace {

/// Of each of the two phases.
int phase_steps(const Topology& topology) {
    return count::log2_down(topology) + count::folds(topology);
}

RankProgram reduce_scatter(const Topology& topology, int rank) {
    const int size = topology.size();
    return folded_reduce_scatter(distance_halving(power_of_two_below(size)), size, rank);
}

RankProgram all_gather(const Topology& topology, int rank) {
    return backwards(reduce_scatter(topology, rank), phase_steps(topology),
                     TransferKind::receive_replace);
}

Algorithm rabenseifner() {
    Algorithm algorithm;
    algorithm.name = "rabenseifner";
    algorithm.summary = "recursive halving, then doubling; the least volume in few steps";
    algorithm.citation = "Rabenseifner 2004";
    algorithm.steps_formula =
        "2 log2 p + 2 f  (p: largest power of two <= P; f: 1 if P > p else 0)";
    algorithm.volume_formula = "2 (p - 1) / p + f";
    algorithm.steps = [](const Topology& topology) { return 2 * phase_steps(topology); };
    algorithm.volume = count::halves_both_ways;
    algorithm.reduce_scatter = reduce_scatter;
    algorithm.all_gather = all_gather;
    return algorithm;
}

const AlgorithmRegistration rabenseifner_registration("all_reduce", rabenseifner());

}  // namespace

}  // namespace shardstone::collectives
