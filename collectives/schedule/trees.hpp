// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A k-nomial tree of ranks with rank 0 at the root: a rank's parent is the rank without its lowest
/// digit other than 0, in base `radix`. Radix 2 is the binomial tree; with a radix of `size` or
/// more every rank is a child of the root.
///
/// The path to the root takes one step per digit, the lowest first; a rank's children of one digit
/// send in the same step.
class KNomialTree {
  public:
    /// `size` is at least 1, `radix` at least 2.
    KNomialTree(int size, int radix);

    /// One level: every rank is a child of rank 0.
    static KNomialTree flat(int size);

    /// ceil(log_radix size).
    int levels() const noexcept { return levels_; }
    /// Children of the root; no rank has more.
    int root_degree() const;
    /// Size of the largest subtree below the root.
    int largest_branch() const;

    /// Reduces a vector, one block, on its way to the root.
    RankProgram reduce(int rank) const;
    /// Collects the shares of all ranks, block r that of rank r, on their way to the root.
    RankProgram gather(int rank) const;

  private:
    /// What `rank` sends its parent: the blocks that `blocks` says for the ranks below, itself
    /// included.
    template <class BlocksOf>
    RankProgram towards_root(int rank, int block_count, TransferKind receive,
                             BlocksOf&& blocks) const;
    BlockRange branch(int rank, int weight) const;

    int size_;
    int radix_;
    int levels_ = 0;
};

}  // namespace shardstone::collectives
