// SPDX-License-Identifier: BSD-3-Clause
// Double binary tree. P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for full bandwidth
// broadcast, reduction and scan", Parallel Computing 35(12), 2009.
//
// Two binary trees over all ranks, such that no rank is an inner node of both: each half of the
// vector is reduced up one tree and broadcast down it, so that every rank's links are busy in both
// directions. Segments fill the pipeline.
//
// Steps (of one segment): 2 floor(log2 P). Volume: 2 vectors (an inner node of one tree sends half
// a vector up and two down, and as a leaf of the other half a vector up); less for P < 4.
#include "collectives/operation/algorithm.hpp"
#include "collectives/schedule/compose.hpp"
#include "collectives/schedule/double_tree.hpp"

namespace shardstone::collectives {

namespace {

RankProgram double_binary_tree_program(const Topology& topology, int rank) {
    const DoubleBinaryTree trees(topology.size());
    const RankProgram up = trees.reduce(rank);
    return in_sequence(up, trees.steps(),
                       backwards(up, trees.steps(), TransferKind::receive_replace));
}

Algorithm double_binary_tree() {
    Algorithm algorithm;
    algorithm.name = "double_binary_tree";
    algorithm.summary = "two pipelined binary trees, half the vector each; few steps, busy links";
    algorithm.citation = "Sanders, Speck and Traeff 2009";
    algorithm.steps_formula = "2 floor(log2 P) per segment";
    algorithm.volume_formula = "2  (P = 1, 2, 3: 0, 1, 1.5)";
    algorithm.steps = [](const Topology& topology) {
        return 2 * DoubleBinaryTree(topology.size()).steps();
    };
    algorithm.volume = [](const Topology& topology) {
        return topology.size() >= 4 ? 2.0 : 0.5 * (topology.size() == 1 ? 0 : topology.size());
    };
    algorithm.program = double_binary_tree_program;
    algorithm.segment_bytes = 256 << 10;
    algorithm.over_transports = true;
    return algorithm;
}

const AlgorithmRegistration double_binary_tree_registration("all_reduce", double_binary_tree());

}  // namespace

}  // namespace shardstone::collectives
