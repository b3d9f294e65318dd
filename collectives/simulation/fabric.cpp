// SPDX-License-Identifier: BSD-3-Clause
// Ports, NICs and leaf uplinks of a described cluster, and the links on each message's way.
#include "collectives/simulation/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

constexpr double gb = 1e9;

LinkCost cost_of(const LinkDescription& link) {
    return {link.alpha_s, 1.0 / (link.bandwidth_gb_s * gb), link.measured, link.start_s};
}

/// The NICs of one node as its ranks see them: where there are more of them than ranks, the
/// several of one rank are one.
struct NicBundles {
    int per_node;
    double bytes_per_s;

    explicit NicBundles(const ClusterDescription& cluster)
        : per_node(cluster.ranks_per_node), bytes_per_s(cluster.inter_node.bandwidth_gb_s * gb) {
        if (!cluster.nics) return;
        per_node = std::min(cluster.nics->per_node, cluster.ranks_per_node);
        bytes_per_s = cluster.nics->bandwidth_gb_s * gb * cluster.nics->per_node / per_node;
    }
};

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

Fabric::Fabric(const Topology& topology, const CostParameters& costs) : costs_(costs) {
    for (int rank = 0; rank < topology.size(); ++rank) node_of_.push_back(topology.node_of(rank));
    nics_ = ranks();
    nic_of_.resize(ranks());
    std::iota(nic_of_.begin(), nic_of_.end(), 0U);
    add_links(size(), 1.0 / costs.intra_node.beta_s_per_byte, false);
    add_links(size(), 1.0 / costs.inter_node.beta_s_per_byte, false);
}

Fabric::Fabric(const ClusterDescription& cluster, int ranks) : costs_(costs_of(cluster)) {
    require(ranks >= 1 && ranks <= cluster.ranks(), [&] {
        return fmt::format("{} ranks: cluster {} has {} ({} nodes of {}): give 1 to {}", ranks,
                           cluster.name, cluster.ranks(), cluster.nodes, cluster.ranks_per_node,
                           cluster.ranks());
    });
    for (int rank = 0; rank < ranks; ++rank) node_of_.push_back(rank / cluster.ranks_per_node);
    add_links(size(), cluster.intra_node.bandwidth_gb_s * gb, false);
    place_on_nics(cluster);
    if (cluster.fat_tree) place_on_leaves(cluster);
}

void Fabric::place_on_nics(const ClusterDescription& cluster) {
    const NicBundles nics(cluster);
    const bool in_turn = cluster.nics && cluster.nics->assignment == NicAssignment::round_robin;
    const int ranks_per_nic = cluster.ranks_per_node / nics.per_node;
    for (int rank = 0; rank < size(); ++rank) {
        const int lane = rank % cluster.ranks_per_node;
        const int nic = in_turn ? lane % nics.per_node : lane / ranks_per_nic;
        const int node = rank / cluster.ranks_per_node;
        nic_of_.push_back(static_cast<std::uint32_t>(node * nics.per_node + nic));
    }
    const int nodes = node_of_.back() + 1;
    nics_ = static_cast<std::uint32_t>(nodes * nics.per_node);
    const double offered = cluster.inter_node.bandwidth_gb_s * gb * ranks_per_nic;
    add_links(nodes * nics.per_node, nics.bytes_per_s, nics.bytes_per_s < offered);
}

void Fabric::place_on_leaves(const ClusterDescription& cluster) {
    const FatTreeDescription& tree = *cluster.fat_tree;
    const NicBundles nics(cluster);
    spine_alpha_s_ = tree.spine_alpha_s;
    const int leaves_per_group = tree.rails ? nics.per_node : 1;
    for (int nic = 0; nic < static_cast<int>(nics_); ++nic) {
        const int group = nic / nics.per_node / tree.nodes_per_leaf;
        leaf_of_.push_back(group * leaves_per_group + nic % nics.per_node % leaves_per_group);
    }
    const int groups = (cluster.nodes + tree.nodes_per_leaf - 1) / tree.nodes_per_leaf;
    leaves_ = static_cast<std::uint32_t>(groups * leaves_per_group);
    const double hosts =
        static_cast<double>(tree.nodes_per_leaf) * nics.per_node / leaves_per_group;
    add_links(groups * leaves_per_group, hosts * nics.bytes_per_s / tree.oversubscription,
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
