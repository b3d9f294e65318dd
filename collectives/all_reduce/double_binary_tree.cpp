// SPDX-License-Identifier: BSD-3-Clause
// Double binary tree. P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for full bandwidth
// broadcast, reduction and scan", Parallel Computing 35(12), 2009.
//
// Two binary trees over all ranks, such that no rank is an inner node of both: each half of the
// vector is reduced up one tree and broadcast down it, so that every rank's links are busy in both
// directions. The first tree is numbered in order (leaves are the even ranks); the second is its
// mirror image, or for odd P the first shifted by one rank. Segments fill the pipeline; the paper's
// colouring of edges is not needed, because channels run as fast as each can.
//
// Steps (of one segment): 2 floor(log2 P). Volume: 2 vectors (an inner node of one tree sends half
// a vector up and two down, and as a leaf of the other half a vector up); less for P < 4.
#include <bit>
#include <optional>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

/// The in-order binary tree over places 1..size. A place's height is the number of its trailing
/// zero bits; it is a complete tree whose places beyond `size` are skipped over.
struct InOrderTree {
    int size;

    static int height(int place) { return std::countr_zero(static_cast<unsigned>(place)); }
    int root_height() const { return std::bit_width(static_cast<unsigned>(size)) - 1; }

    /// Parent in the complete tree: clears the lowest set bit and sets the next.
    static int parent_if_complete(int place) {
        const int bit = place & -place;
        return (place ^ bit) | (2 * bit);
    }
    std::optional<int> parent(int place) const {
        if (place == 1 << root_height()) return std::nullopt;
        int above = parent_if_complete(place);
        while (above > size) above = parent_if_complete(above);
        return above;
    }
    std::optional<int> left_child(int place) const {
        if (height(place) == 0) return std::nullopt;
        return place - (1 << (height(place) - 1));
    }
    std::optional<int> right_child(int place) const {
        for (int step = (1 << height(place)) / 2; step > 0; step /= 2) {
            if (place + step <= size) return place + step;
        }
        return std::nullopt;
    }
};

/// Which rank stands at which place of tree 0 or 1.
struct Seating {
    int size, tree;

    int place_of(int rank) const {
        if (tree == 0) return rank + 1;
        return size % 2 == 0 ? size - rank : (rank + 1) % size + 1;
    }
    int rank_at(int place) const {
        if (tree == 0) return place - 1;
        return size % 2 == 0 ? size - place : (place - 2 + size) % size;
    }
};

/// Reduces `tree`'s half up the tree in steps 0.. and broadcasts it down; its channel is the tree.
void add_tree(int tree, int size, int rank, ProgramBuilder& program) {
    const InOrderTree shape{size};
    const Seating seating{size, tree};
    const BlockRange half{tree, 1};
    const int place = seating.place_of(rank);
    // A node of height h hears from its children in step h - 1 and tells them in the mirrored step.
    const int last = 2 * shape.root_height() - 1;
    const auto from_children = [](int node) { return InOrderTree::height(node) - 1; };
    for (const auto child : {shape.left_child(place), shape.right_child(place)}) {
        if (!child) continue;
        const int step = from_children(place);
        program.receive_reduce(step, seating.rank_at(*child), half, tree);
        program.send(last - step, seating.rank_at(*child), half, tree);
    }
    if (const auto parent = shape.parent(place)) {
        const int step = from_children(*parent);
        program.send(step, seating.rank_at(*parent), half, tree);
        program.receive_replace(last - step, seating.rank_at(*parent), half, tree);
    }
}

RankProgram program(const Topology& topology, int rank) {
    ProgramBuilder both({BlockRange{0, 1}, BlockRange{1, 1}});
    for (const int tree : {0, 1}) add_tree(tree, topology.size(), rank, both);
    return both.build();
}

Algorithm double_binary_tree() {
    Algorithm algorithm;
    algorithm.operation = "all_reduce";
    algorithm.name = "double_binary_tree";
    algorithm.summary = "two pipelined binary trees, half the vector each; few steps, busy links";
    algorithm.citation = "Sanders, Speck and Traeff 2009";
    algorithm.steps_formula = "2 floor(log2 P) per segment";
    algorithm.volume_formula = "2  (P = 1, 2, 3: 0, 1, 1.5)";
    algorithm.steps = [](const Topology& topology) {
        return 2 * InOrderTree{topology.size()}.root_height();
    };
    algorithm.volume = [](const Topology& topology) {
        return topology.size() >= 4 ? 2.0 : 0.5 * (topology.size() == 1 ? 0 : topology.size());
    };
    algorithm.program = program;
    algorithm.segment_bytes = 256 << 10;
    return algorithm;
}

const AlgorithmRegistration registration(double_binary_tree());

}  // namespace

}  // namespace shardstone::collectives
