// SPDX-License-Identifier: BSD-3-Clause
// The pairs of ranks whose messages are timed, in rounds.
#pragma once

#include <vector>

#include "benchmarks/interconnect/link_pass.hpp"
#include "collectives/cluster/topology.hpp"

namespace shardstone::validation {

/// All pairs of nodes, as many at once as there can be: between the first ranks of each of their
/// NICs (rails.hpp), all of which are tested at the same time. None for one node.
std::vector<benchmarks::LinkRound> rounds_between_nodes(const collectives::Topology& topology,
                                                        int rails);

/// All pairs of ranks that share a node, on all nodes at once; on each node as many at a time as
/// there can be, or one if `one_at_a_time`, as where ranks share cores.
std::vector<benchmarks::LinkRound> rounds_inside_nodes(const collectives::Topology& topology,
                                                       bool one_at_a_time);

}  // namespace shardstone::validation
