// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/cluster/description.hpp"
#include "collectives/cluster/topology.hpp"
#include "collectives/simulation/cost_model.hpp"

namespace shardstone::collectives {

/// The classes by which bytes are counted. Bytes that cross leaf switches are counted twice: as
/// inter_node on the NICs and as uplink on the leaves.
enum class LinkClass : std::uint8_t { intra_node, inter_node, uplink };
constexpr int link_classes = 3;
const char* name_of(LinkClass link_class);

/// alpha, beta and gamma of a described cluster, without its NICs and switches.
CostParameters costs_of(const ClusterDescription& cluster);

/// A message's path: its latency, its rate when nothing is shared, and the links that carry it.
struct Route {
    double alpha_s = 0.0;
    double beta_s_per_byte = 0.0;
    std::array<std::uint32_t, 4> links{};  ///< one for each direction and switch passed
    int length = 0;
    bool shared = false;  ///< whether one of them can be slower than beta
};

/// The links between ranks. Every link has one direction: intra_node   each rank's port to send and
/// its port to receive; inter_node   each NIC, out and in; without described NICs each rank has one
/// of its own; uplink       all uplinks of one leaf switch together, up and down. A link can be
/// shared (slower than the ports' beta) only when the ports below it could together offer it more
/// than it carries; a fabric without such links is alpha-beta exactly.
class Fabric {
  public:
    /// Ranks on nodes, whose lanes share the NICs; without NICs each rank has one of its own.
    Fabric(const Topology& topology, const CostParameters& costs,
           const std::optional<NicDescription>& nics);
    /// The first `ranks` ranks of a described cluster. Throws Error when it has fewer.
    Fabric(const ClusterDescription& cluster, int ranks);

    int size() const noexcept { return static_cast<int>(node_of_.size()); }
    /// Time at which ranks begin their first step.
    double start_s() const;
    /// Time to reduce this many received bytes on a rank.
    double reduction_s(std::int64_t size_bytes) const { return costs_.reduction_s(size_bytes); }
    Route route(std::uint32_t from, std::uint32_t to, std::int64_t size_bytes) const;

    std::uint32_t links() const noexcept { return static_cast<std::uint32_t>(capacity_.size()); }
    /// Bytes per second.
    double capacity(std::uint32_t link) const { return capacity_[link]; }
    /// Whether the link can be the bottleneck of a message.
    bool shared(std::uint32_t link) const { return shared_[link] != 0; }
    LinkClass class_of(std::uint32_t link) const;
    /// Links at which every byte of a class passes once: the outgoing ones.
    bool outgoing(std::uint32_t link) const;

  private:
    /// `ranks_per_node` as many as share the NICs of a node.
    void place_on_nics(const Topology& topology, const std::optional<NicDescription>& nics,
                       int ranks_per_node);
    void place_on_leaves(const ClusterDescription& cluster);
    void add_links(int pairs, double capacity, bool shared);
    std::uint32_t ranks() const { return static_cast<std::uint32_t>(node_of_.size()); }

    CostParameters costs_;
    double spine_alpha_s_ = 0.0;
    std::vector<std::int32_t> node_of_;  ///< of each rank
    std::vector<std::uint32_t> nic_of_;  ///< of each rank
    std::vector<std::int32_t> leaf_of_;  ///< of each NIC; empty without a fat tree
    std::uint32_t nics_ = 0, leaves_ = 0;
    int nics_per_node_ = 1;  ///< as its ranks see them
    double nic_bytes_per_s_ = 0.0;
    std::vector<double> capacity_;
    std::vector<std::uint8_t> shared_;
};

}  // namespace shardstone::collectives
