// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "collectives/cluster/description.hpp"
#include "collectives/cluster/topology.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::reference {

/// Machine on which a step is priced: ranks on the nodes of a cluster, and the speed of each.
struct Machine {
    collectives::ClusterDescription cluster;
    double flop_per_s = 0.0;          ///< of a rank in passes, counted as PassWork does
    double memory_bytes_per_s = 0.0;  ///< of a rank in work without multiplications

    /// The node of each rank; empty where nodes are filled in rank order.
    std::vector<int> placement = {};

    int node_of(int rank) const {
        return placement.empty() ? rank / cluster.ranks_per_node
                                 : placement[static_cast<std::size_t>(rank)];
    }
    /// Nodes of the members of a rank's group.
    collectives::Topology topology_of(const RankGroup& group) const;

    /// The cluster as seen by a group of this kind when all groups of the kind communicate at the
    /// same time, as they do in a step: with the group's share of a node's NICs as one, which the
    /// group's own ranks on a node share in turn.
    collectives::ClusterDescription shared_by(const ParallelPlan& plan, GroupKind kind) const;
};

/// `ranks` ranks on one node with typical links (collectives::typical_cluster()).
Machine typical_node(int ranks, double flop_per_s, double memory_bytes_per_s);

/// Throws Error when the cluster has fewer ranks than the plan, or a rate is not positive.
void require_room(const Machine& machine, const ParallelPlan& plan);

}  // namespace shardstone::reference
