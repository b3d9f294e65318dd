// SPDX-License-Identifier: BSD-3-Clause
// Circulant all-reduce. J. L. Traeff, "Optimal, non-pipelined reduce-scatter and
// allreduce algorithms", arXiv:2410.14234, 2024.
//
// The circulant reduce-scatter, then Bruck's all-gather, which is the same backwards. No rank need
// be folded into another where P is not a power of two.
//
// Steps: 2 ceil(log2 P). Volume: every rank sends 2 (P - 1) / P of the vector, the least possible.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm circulant() {
    Algorithm algorithm;
    algorithm.name = "circulant";
    algorithm.summary = "Bruck backwards, then forwards; few steps, least volume, any P";
    algorithm.citation = "Traeff 2024";
    algorithm.steps_formula = "2 ceil(log2 P)";
    algorithm.volume_formula = "2 (P - 1) / P";
    algorithm.steps = [](const Topology& topology) { return 2 * count::log2_up(topology); };
    algorithm.volume = [](const Topology& topology) {
        return 2 * count::all_but_a_share(topology);
    };
    algorithm.reduce_scatter = program_of("reduce_scatter", "circulant");
    algorithm.all_gather = program_of("all_gather", "bruck");
    return algorithm;
}

const AlgorithmRegistration circulant_registration("all_reduce", circulant());

}  // namespace

}  // namespace shardstone::collectives
