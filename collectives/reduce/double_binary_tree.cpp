// SPDX-License-Identifier: BSD-3-Clause
// Double binary tree reduction. P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for
// full bandwidth broadcast, reduction and scan", Parallel Computing 35(12), 2009.
//
// Two binary trees over all ranks but the root reduce half of the vector each; their own roots send
// the halves to the root. No rank is an inner node of both trees.
//
// Steps (of one segment): floor(log2 (P - 1)) + 1. Volume: every rank but the root sends 1 vector.
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/counts.hpp"
#include "collectives/schedule/compose.hpp"
#include "collectives/schedule/double_tree.hpp"

namespace shardstone::collectives {

namespace {

int steps(const Topology& topology) {
    return topology.size() > 1 ? DoubleBinaryTree(topology.size() - 1).steps() + 1 : 0;
}

RankProgram double_binary_tree_program(const Topology& topology, int rank) {
    RankProgramBuilder all(DoubleBinaryTree::channels());
    if (topology.size() == 1) return all.build();
    const DoubleBinaryTree trees(topology.size() - 1);
    if (rank > 0) {
        ProgramMapping beyond_root;
        beyond_root.rank = [](int same) { return same + 1; };
        embed(trees.reduce(rank - 1), beyond_root, all);
    }
    for (const int tree : {0, 1}) {
        const int top = trees.root(tree) + 1;
        if (rank == 0) all.receive_reduce(trees.steps(), top, {tree, 1}, tree);
        if (rank == top) all.send(trees.steps(), 0, {tree, 1}, tree);
    }
    return all.build();
}

Algorithm double_binary_tree() {
    Algorithm algorithm;
    algorithm.name = "double_binary_tree";
    algorithm.summary = "two pipelined binary trees, half the vector each";
    algorithm.citation = "Sanders, Speck and Traeff 2009";
    algorithm.steps_formula = "floor(log2 (P - 1)) + 1 per segment  (P = 1: 0)";
    algorithm.volume_formula = "1";
    algorithm.steps = steps;
    algorithm.volume = count::one_vector;
    algorithm.program = double_binary_tree_program;
    algorithm.segment_bytes = 256 << 10;
    return algorithm;
}

const AlgorithmRegistration double_binary_tree_registration("reduce", double_binary_tree());

}  // namespace

}  // namespace shardstone::collectives
