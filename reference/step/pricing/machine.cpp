// SPDX-License-Identifier: BSD-3-Clause
// The machine that a step is priced on, and how the groups of a plan share the NICs of its nodes.
#include "reference/step/pricing/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

/// The most groups of the kind that send from one node to others.
int groups_leaving_a_node(const Machine& machine, const ParallelPlan& plan, GroupKind kind) {
    std::map<int, std::set<int>> leaving;  // groups, by their first ranks, of each node
    for (int rank = 0; rank < plan.ranks(); ++rank) {
        const RankGroup group(plan, kind, rank);
        const int node = machine.node_of(rank);
        if (machine.topology_of(group).nodes() > 1) leaving[node].insert(group.first());
    }
    std::size_t most = 1;
    for (const auto& [node, groups] : leaving) most = std::max(most, groups.size());
    return static_cast<int>(most);
}

}  // namespace

collectives::Topology Machine::topology_of(const RankGroup& group) const {
    std::vector<int> nodes = group.members();
    for (int& node : nodes) node = node_of(node);
    return collectives::Topology(nodes);
}

collectives::ClusterDescription Machine::shared_by(const ParallelPlan& plan, GroupKind kind) const {
    collectives::ClusterDescription shared = cluster;
    if (!cluster.nics) return shared;
    const double share_gb_s = cluster.nics->bandwidth_gb_s * cluster.nics->per_node /
                              groups_leaving_a_node(*this, plan, kind);
    shared.nics->per_node = 1;
    shared.nics->bandwidth_gb_s = share_gb_s;
    if (share_gb_s >= cluster.inter_node.bandwidth_gb_s) return shared;
    shared.inter_node.bandwidth_gb_s = share_gb_s;
    shared.inter_node.measured = {};  // was measured without others
    return shared;
}

Machine typical_node(int ranks, double flop_per_s, double memory_bytes_per_s) {
    Machine machine{*collectives::typical_cluster(), flop_per_s, memory_bytes_per_s};
    machine.cluster.nodes = 1;
    machine.cluster.ranks_per_node = ranks;
    return machine;
}

void require_room(const Machine& machine, const ParallelPlan& plan) {
    const auto& cluster = machine.cluster;
    require(cluster.ranks() >= plan.ranks(), [&] {
        return fmt::format("plan {} needs {} ranks, and cluster {} has {} ({} nodes of {})",
                           to_string(plan), plan.ranks(), cluster.name, cluster.ranks(),
                           cluster.nodes, cluster.ranks_per_node);
    });
    require(machine.flop_per_s > 0.0 && machine.memory_bytes_per_s > 0.0, [&] {
        return fmt::format("rates of {} FLOP/s and {} B/s per rank: give positive ones",
                           machine.flop_per_s, machine.memory_bytes_per_s);
    });
}

}  // namespace shardstone::reference
