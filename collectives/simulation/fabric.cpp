// SPDX-License-Identifier: BSD-3-Clause
// Ports, NICs and leaf uplinks of a described cluster, and the links on each message's way.
#include "collectives/simulation/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

constexpr double gb = 1e9;

LinkCost cost_of(const LinkDescription& link) {
    return {link.alpha_s, 1.0 / (link.bandwidth_gb_s * gb), link.measured, link.start_s};
}

}  // namespace

const char* name_of(LinkClass link_class) {
    static constexpr std::array names{"intra_node", "inter_node", "uplink"};
    return names[static_cast<std::size_t>(link_class)];
}

CostParameters costs_of(const ClusterDescription& cluster) {
    CostParameters costs;
    costs.intra_node = cost_of(cluster.intra_node);
    costs.inter_node = cost_of(cluster.inter_node);
    costs.gamma_s_per_byte = 1.0 / (cluster.reduction.rate_gb_s * gb);
    costs.reduction = cluster.reduction.measured;
    if (cluster.shared_memory) costs.shared_memory = cost_of(*cluster.shared_memory);
    costs.direct = cluster.direct;
    return costs;
}

double Fabric::start_s() const {
    const bool one_node =
        std::ranges::adjacent_find(node_of_, std::ranges::not_equal_to{}) == node_of_.end();
    return one_node ? costs_.intra_node.start_s
                    : std::max(costs_.intra_node.start_s, costs_.inter_node.start_s);
}

Fabric::Fabric(const Topology& topology, const CostParameters& costs,
               const std::optional<NicDescription>& nics)
    : costs_(costs) {
    place_on_nics(topology, nics, topology.largest_node());
}

Fabric::Fabric(const ClusterDescription& cluster, int ranks) : costs_(costs_of(cluster)) {
    require(ranks >= 1 && ranks <= cluster.ranks(), [&] {
        return fmt::format("{} ranks: cluster {} has {} ({} nodes of {}): give 1 to {}", ranks,
                           cluster.name, cluster.ranks(), cluster.nodes, cluster.ranks_per_node,
                           cluster.ranks());
    });
    place_on_nics(Topology::blocked(ranks, cluster.ranks_per_node), cluster.nics,
                  cluster.ranks_per_node);
    if (cluster.fat_tree) place_on_leaves(cluster);
}

/// Where there are more NICs than ranks, the several of one rank are one.
void Fabric::place_on_nics(const Topology& topology, const std::optional<NicDescription>& nics,
                           int ranks_per_node) {
    const double port_bytes_per_s = 1.0 / costs_.inter_node.beta_s_per_byte;
    nics_per_node_ = nics ? std::min(nics->per_node, ranks_per_node) : ranks_per_node;
    nic_bytes_per_s_ =
        nics ? nics->bandwidth_gb_s * gb * nics->per_node / nics_per_node_ : port_bytes_per_s;
    const bool in_turn = nics && nics->assignment == NicAssignment::round_robin;
    for (int rank = 0; rank < topology.size(); ++rank) {
        const int node = topology.node_of(rank), lane = topology.lane_of(rank);
        const int nic = in_turn ? lane % nics_per_node_ : lane * nics_per_node_ / ranks_per_node;
        node_of_.push_back(node);
        nic_of_.push_back(static_cast<std::uint32_t>(node * nics_per_node_ + nic));
    }
    add_links(size(), 1.0 / costs_.intra_node.beta_s_per_byte, false);
    const int most_ranks_of_one = (ranks_per_node + nics_per_node_ - 1) / nics_per_node_;
    const int total = topology.nodes() * nics_per_node_;
    nics_ = static_cast<std::uint32_t>(total);
    add_links(total, nic_bytes_per_s_, nic_bytes_per_s_ < port_bytes_per_s * most_ranks_of_one);
}

void Fabric::place_on_leaves(const ClusterDescription& cluster) {
    const FatTreeDescription& tree = *cluster.fat_tree;
    spine_alpha_s_ = tree.spine_alpha_s;
    const int leaves_per_group = tree.rails ? nics_per_node_ : 1;
    for (int nic = 0; nic < static_cast<int>(nics_); ++nic) {
        const int group = nic / nics_per_node_ / tree.nodes_per_leaf;
        leaf_of_.push_back(group * leaves_per_group + nic % nics_per_node_ % leaves_per_group);
    }
    const int groups = (cluster.nodes + tree.nodes_per_leaf - 1) / tree.nodes_per_leaf;
    leaves_ = static_cast<std::uint32_t>(groups * leaves_per_group);
    const double hosts =
        static_cast<double>(tree.nodes_per_leaf) * nics_per_node_ / leaves_per_group;
    add_links(groups * leaves_per_group, hosts * nic_bytes_per_s_ / tree.oversubscription,
              tree.oversubscription > 1.0);
}

/// `pairs` outgoing links, then as many incoming ones.
void Fabric::add_links(int pairs, double capacity, bool shared) {
    const auto total = capacity_.size() + 2 * static_cast<std::size_t>(pairs);
    capacity_.resize(total, capacity);
    shared_.resize(total, shared ? 1 : 0);
}

Route Fabric::route(std::uint32_t from, std::uint32_t to, std::int64_t size_bytes) const {
    Route route;
    if (node_of_[from] == node_of_[to]) {
        route.alpha_s = costs_.intra_node.alpha_s;
        route.beta_s_per_byte = costs_.intra_node.beta_at(size_bytes);
        route.links = {from, ranks() + to};
        route.length = 2;
        return route;
    }
    const std::uint32_t first_nic = 2 * ranks();
    route.alpha_s = costs_.inter_node.alpha_s;
    route.beta_s_per_byte = costs_.inter_node.beta_at(size_bytes);
    route.links = {first_nic + nic_of_[from], first_nic + nics_ + nic_of_[to]};
    route.length = 2;
    if (leaves_ > 0 && leaf_of_[nic_of_[from]] != leaf_of_[nic_of_[to]]) {
        const std::uint32_t first_leaf = first_nic + 2 * nics_;
        route.alpha_s += spine_alpha_s_;
        route.links[2] = first_leaf + static_cast<std::uint32_t>(leaf_of_[nic_of_[from]]);
        route.links[3] = first_leaf + leaves_ + static_cast<std::uint32_t>(leaf_of_[nic_of_[to]]);
        route.length = 4;
    }
    for (int i = 0; i < route.length; ++i) {
        route.shared = route.shared || shared(route.links[static_cast<std::size_t>(i)]);
    }
    return route;
}

LinkClass Fabric::class_of(std::uint32_t link) const {
    if (link < 2 * ranks()) return LinkClass::intra_node;
    return link < 2 * (ranks() + nics_) ? LinkClass::inter_node : LinkClass::uplink;
}

bool Fabric::outgoing(std::uint32_t link) const {
    switch (class_of(link)) {
        case LinkClass::intra_node:
            return link < ranks();
        case LinkClass::inter_node:
            return link < 2 * ranks() + nics_;
        default:
            return link < 2 * (ranks() + nics_) + leaves_;
    }
}

}  // namespace shardstone::collectives
