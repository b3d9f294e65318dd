// SPDX-License-Identifier: BSD-3-Clause
// Double binary tree broadcast. P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for
// full bandwidth broadcast, reduction and scan", Parallel Computing 35(12), 2009.
//
// The root sends half of the vector to the root of each of two binary trees over all other ranks,
// which pass it down: the reduction run backwards. No rank is an inner node of both trees, so that
// none sends more than it receives.
//
// Steps (of one segment): floor(log2 (P - 1)) + 1. Volume: no rank sends more than 1 vector.
#include "collectives/operation/counts.hpp"
#include "collectives/operation/derive.hpp"

namespace shardstone::collectives {

namespace {

Algorithm double_binary_tree() {
    Algorithm algorithm;
    algorithm.name = "double_binary_tree";
    algorithm.summary = "two pipelined binary trees, half the vector each";
    algorithm.citation = "Sanders, Speck and Traeff 2009";
    algorithm.steps_formula = "floor(log2 (P - 1)) + 1 per segment  (P = 1: 0)";
    algorithm.volume_formula = "1";
    algorithm.steps = [](const Topology& topology) {
        return find_algorithm("reduce", "double_binary_tree").steps(topology);
    };
    algorithm.volume = count::one_vector;
    algorithm.program = backwards_of("reduce", "double_binary_tree");
    algorithm.segment_bytes = 256 << 10;
    return algorithm;
}

const AlgorithmRegistration double_binary_tree_registration("broadcast", double_binary_tree());

}  // namespace

}  // namespace shardstone::collectives
