// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "collectives/cluster/description.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::reference {

/// Machine on which a step is priced: ranks on the nodes of a cluster, filled in rank order, and
/// the speed of each.
struct Machine {
    collectives::ClusterDescription cluster;
    double flop_per_s = 0.0;          ///< of a rank in passes, counted as PassWork does
    double memory_bytes_per_s = 0.0;  ///< of a rank in work without multiplications

    int node_of(int rank) const { return rank / cluster.ranks_per_node; }

    /// The cluster as seen by a group of this kind when all groups of the kind communicate at the
    /// same time, as they do in a step: with a rank's share of its node's NICs.
    collectives::ClusterDescription shared_by(const ParallelPlan& plan, GroupKind kind) const;
};

/// `ranks` ranks on one node with typical links (collectives::typical_cluster()).
Machine typical_node(int ranks, double flop_per_s, double memory_bytes_per_s);

/// Throws Error when the cluster has fewer ranks than the plan, or a rate is not positive.
void require_room(const Machine& machine, const ParallelPlan& plan);

}  // namespace shardstone::reference
