// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// Two binary trees over the same ranks, such that no rank is an inner node of both. P. Sanders,
/// J. Speck, J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
/// Parallel Computing 35(12), 2009.
///
/// The first tree is numbered in order (leaves are the even ranks); the second is its mirror image,
/// or for odd sizes the first shifted by one rank. The paper's edge colouring is not needed,
/// because channels progress independently.
class DoubleBinaryTree {
  public:
    /// Of at least one rank.
    explicit DoubleBinaryTree(int size) : size_(size) {}

    /// One channel of one block, half of the vector, for each tree.
    static std::vector<BlockRange> channels() { return {{0, 1}, {1, 1}}; }

    /// From the lowest leaf to the root: floor(log2 size).
    int steps() const;
    /// The rank at the root of tree 0 or 1.
    int root(int tree) const;
    /// Reduces each half of the vector to the root of its tree.
    RankProgram reduce(int rank) const;

  private:
    int size_;
};

}  // namespace shardstone::collectives
