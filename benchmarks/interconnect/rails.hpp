// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/topology.hpp"

namespace shardstone::benchmarks {

// The NICs of a node, of which each serves an equal block of its ranks, as launchers bind them: of
// 8 ranks and 4 NICs, ranks 2 and 3 use NIC 1. No node has fewer ranks than NICs.

/// The NIC of a rank, counted within its node.
int rail_of(const collectives::Topology& topology, int rank, int rails);

/// The first rank of a node that uses this NIC.
int first_of_rail(const collectives::Topology& topology, int node, int rail, int rails);

}  // namespace shardstone::benchmarks
