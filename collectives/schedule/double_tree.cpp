// SPDX-License-Identifier: BSD-3-Clause
// Parents and children in two complementary binary trees, each reducing half of the vector.
#include "collectives/schedule/double_tree.hpp"

#include <bit>
#include <optional>

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

/// Its channel is the tree.
void add_tree(int tree, int size, int rank, RankProgramBuilder& program) {
    const InOrderTree shape{size};
    const Seating seating{size, tree};
    const BlockRange half{tree, 1};
    const int place = seating.place_of(rank);
    // A node of height h hears from its children in step h - 1.
    for (const auto child : {shape.left_child(place), shape.right_child(place)}) {
        if (!child) continue;
        program.receive_reduce(InOrderTree::height(place) - 1, seating.rank_at(*child), half, tree);
    }
    if (const auto parent = shape.parent(place)) {
        program.send(InOrderTree::height(*parent) - 1, seating.rank_at(*parent), half, tree);
    }
}

}  // namespace

int DoubleBinaryTree::steps() const {
    return InOrderTree{size_}.root_height();
}

int DoubleBinaryTree::root(int tree) const {
    return Seating{size_, tree}.rank_at(1 << steps());
}

RankProgram DoubleBinaryTree::reduce(int rank) const {
    RankProgramBuilder both(channels());
    for (const int tree : {0, 1}) add_tree(tree, size_, rank, both);
    return both.build();
}

}  // namespace shardstone::collectives
