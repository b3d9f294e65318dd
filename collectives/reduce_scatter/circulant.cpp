// SPDX-License-Identifier: BSD-3-Clause
// Circulant reduce-scatter. J. L. Traeff, "Optimal, non-pipelined reduce-scatter and
// allreduce algorithms", arXiv:2410.14234, 2024.
//
// Bruck's all-gather run backwards: partners at distance h, from the largest power of two below P
// to 1, send each other the partial sums of the h shares that the other side is to finish.
//
// Steps: ceil(log2 P), the fewest for any P. Volume: every rank sends (P - 1) / P of the vector,
// the least possible.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm circulant() {
    Algorithm algorithm;
    algorithm.name = "circulant";
    algorithm.summary = "partial sums from ever nearer partners; few steps, least volume, any P";
    algorithm.citation = "Traeff 2024";
    algorithm.steps_formula = "ceil(log2 P)";
    algorithm.volume_formula = "(P - 1) / P";
    algorithm.steps = count::log2_up;
    algorithm.volume = count::all_but_a_share;
    algorithm.program = backwards_of("all_gather", "bruck", TransferKind::receive_reduce);
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration circulant_registration("reduce_scatter", circulant());

}  // namespace

}  // namespace shardstone::collectives
