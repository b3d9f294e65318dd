// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

namespace shardstone::collectives {

/// The node of each rank. Nodes are numbered 0, 1, ... in the order of their lowest rank; a rank's
/// lane is its position among the ranks of its node. A plain value, no communication.
class Topology {
  public:
    /// `node_of_rank[r]` is any number that ranks on one node share. Not empty.
    explicit Topology(std::span<const int> node_of_rank);

    /// All ranks on one node.
    static Topology one_node(int size);
    /// Nodes of `ranks_per_node` ranks each, filled in rank order, the last one possibly with
    /// fewer. Throws Error when ranks_per_node < 1.
    static Topology blocked(int size, int ranks_per_node);
    /// The same nodes with ranks renumbered relative to `first`, which becomes 0 (those before it
    /// become the last).
    Topology rotated(int first) const;
    /// The same topology, marked as declared by the user rather than detected.
    Topology as_declared() const;

    int size() const noexcept { return static_cast<int>(node_of_rank_.size()); }
    int nodes() const noexcept { return static_cast<int>(ranks_of_node_.size()); }
    int node_of(int rank) const { return node_of_rank_[static_cast<std::size_t>(rank)]; }
    int lane_of(int rank) const { return lane_of_rank_[static_cast<std::size_t>(rank)]; }
    std::span<const int> ranks_on(int node) const {
        return ranks_of_node_[static_cast<std::size_t>(node)];
    }
    bool same_node(int a, int b) const { return node_of(a) == node_of(b); }
    int smallest_node() const;
    int largest_node() const;

    /// "2 nodes of 4 ranks", "3 nodes of 2 to 3 ranks (declared)".
    std::string description() const;

  private:
    std::vector<int> node_of_rank_;
    std::vector<int> lane_of_rank_;
    std::vector<std::vector<int>> ranks_of_node_;
    bool declared_ = false;
};

}  // namespace shardstone::collectives
