// SPDX-License-Identifier: BSD-3-Clause
// Programs placed on the ranks of one node, or on the leaders of all nodes.
#include "collectives/schedule/leaders.hpp"

#include "collectives/schedule/levels.hpp"

namespace shardstone::collectives {

Topology between_leaders(const Topology& topology) {
    return Levels(topology).between;
}

RankProgram on_node(const ProgramOf& program, const Topology& topology, int rank) {
    const auto ranks = topology.ranks_on(topology.node_of(rank));
    const RankProgram own =
        program(Topology::one_node(static_cast<int>(ranks.size())), topology.lane_of(rank));
    ProgramMapping node;
    node.rank = [ranks](int lane) { return ranks[static_cast<std::size_t>(lane)]; };
    RankProgramBuilder all(own.channels);
    embed(own, node, all);
    return all.build();
}

RankProgram among_leaders(const ProgramOf& program, const Topology& topology, int rank) {
    const RankProgram own = program(between_leaders(topology), topology.node_of(rank));
    ProgramMapping leaders;
    leaders.rank = [&](int node) { return topology.ranks_on(node).front(); };
    RankProgramBuilder all(own.channels);
    if (topology.lane_of(rank) == 0) embed(own, leaders, all);
    return all.build();
}

}  // namespace shardstone::collectives
