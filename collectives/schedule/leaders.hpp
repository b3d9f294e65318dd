// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>

#include "collectives/schedule/compose.hpp"

namespace shardstone::collectives {

// Leader-based hierarchies: the first rank of each node, its leader, acts for it.

/// Program of a rank among those of a topology.
using ProgramOf = std::function<RankProgram(const Topology&, int rank)>;

/// The leaders, as a topology whose ranks are the nodes (levels.hpp).
Topology between_leaders(const Topology& topology);

/// The maximum over nodes of a quantity of the node's ranks alone: steps or volume.
template <class Value>
Value most_inside(const Topology& topology, const std::function<Value(const Topology&)>& of) {
    Value most{};
    for (int node = 0; node < topology.nodes(); ++node) {
        const auto ranks = static_cast<int>(topology.ranks_on(node).size());
        most = std::max(most, of(Topology::one_node(ranks)));
    }
    return most;
}

/// `program` on the ranks of the node of `rank`; the leader is 0.
RankProgram on_node(const ProgramOf& program, const Topology& topology, int rank);

/// `program` among the leaders; nothing for the other ranks.
RankProgram among_leaders(const ProgramOf& program, const Topology& topology, int rank);

}  // namespace shardstone::collectives
