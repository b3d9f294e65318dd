// SPDX-License-Identifier: BSD-3-Clause
// A cluster description from what devices are labelled with, and from stated assumptions.
#include "benchmarks/topology/nominal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "results/schema/topology_in_words.hpp"

namespace shardstone::benchmarks {

namespace {

using results::DeviceRow;

/// What one node adds to the description.
struct NodeParts {
    int ranks = 1;
    int gpus = 0;
    double gpu_link_gb_s = results::not_measured;  ///< the least between two of its GPUs
    bool nvlinks = false;
    double gpu_memory_gb_s = results::not_measured;
    int ports = 0;  ///< the fastest that are up
    double port_gb_s = results::not_measured;
    std::string protocol;
    int slower_ports = 0;

    /// Equal in all that the description says; what is not known equals what is not known.
    std::string key() const {
        return fmt::format("{} {} {} {} {} {} {} {} {}", ranks, gpus, gpu_link_gb_s, nvlinks,
                           gpu_memory_gb_s, ports, port_gb_s, protocol, slower_ports);
    }
};

void add_ports(const Discovery& discovery, double node, NodeParts& parts) {
    std::vector<const DeviceRow*> up;
    for (const DeviceRow& device : discovery.found.devices) {
        if (device.node == node && device.kind == "nic" && device.state == "up") {
            up.push_back(&device);
        }
    }
    const auto rate = [](const DeviceRow* port) {
        return std::isfinite(port->rate_gb_s) ? port->rate_gb_s : 0.0;
    };
    if (up.empty()) return;
    const DeviceRow& fastest = **std::ranges::max_element(up, {}, rate);
    const auto as_fast = std::ranges::count(up, rate(&fastest), rate);
    parts.ports = static_cast<int>(as_fast);
    parts.slower_ports = static_cast<int>(std::ssize(up) - as_fast);
    parts.port_gb_s = fastest.rate_gb_s;
    parts.protocol = fastest.protocol;
}

void add_gpus(const Discovery& discovery, double node, NodeParts& parts) {
    for (const DeviceRow& device : discovery.found.devices) {
        if (device.node != node || device.kind != "gpu") continue;
        ++parts.gpus;
        parts.gpu_memory_gb_s = std::fmin(parts.gpu_memory_gb_s, device.memory_rate_gb_s);
    }
    parts.nvlinks = parts.gpus > 1;
    for (const auto& link : discovery.found.links) {
        if (link.node != node || link.to_kind != "gpu") continue;
        parts.gpu_link_gb_s = std::fmin(parts.gpu_link_gb_s, link.rate_gb_s);
        parts.nvlinks = parts.nvlinks && link.path == "NVLink";
    }
}

NodeParts parts_of(const Discovery& discovery, const results::NodeRow& node) {
    NodeParts parts;
    for (const auto& fact : discovery.found.facts) {
        const bool counts =
            fact.node == node.node && fact.kind == "ranks" && fact.subject == "ranks";
        if (counts) parts.ranks = static_cast<int>(fact.number);
    }
    add_gpus(discovery, node.node, parts);
    add_ports(discovery, node.node, parts);
    return parts;
}

struct MostNodes {
    NodeParts parts;
    int count = 0;
};

MostNodes most_nodes(const Discovery& discovery) {
    std::vector<NodeParts> all;
    for (const auto& node : discovery.nodes) all.push_back(parts_of(discovery, node));
    MostNodes most;
    for (const NodeParts& parts : all) {
        const auto count = static_cast<int>(std::ranges::count(all, parts.key(), &NodeParts::key));
        if (count > most.count) most = {parts, count};
    }
    return most;
}

collectives::LinkDescription link(double alpha_s, double bandwidth_gb_s, const std::string& rate,
                                  const char* alpha) {
    collectives::LinkDescription described;
    described.alpha_s = alpha_s;
    described.bandwidth_gb_s = bandwidth_gb_s;
    described.source =
        fmt::format("bandwidth: {}; alpha: assumption ({}), not measured", rate, alpha);
    return described;
}

/// Assumed rates are those of collectives::typical_cluster().
collectives::LinkDescription intra_node(const NodeParts& node) {
    const auto typical = collectives::typical_cluster();
    if (node.gpus == 0) {
        return link(typical->intra_node.alpha_s, typical->intra_node.bandwidth_gb_s,
                    "assumption (an MPI library between processes of a node), not measured",
                    "processes of a node");
    }
    const bool known = node.gpu_link_gb_s > 0.0;
    constexpr double assumed_gb_s = 25.0, nvlink_alpha_s = 3e-6, pcie_alpha_s = 8e-6;
    if (!known) {
        return link(pcie_alpha_s, assumed_gb_s, "assumption (GPUs on PCIe 4.0), not measured",
                    "GPUs over PCIe");
    }
    const auto rate = [&](const char* what) {
        return fmt::format("{:.4g} GB/s nominal, {}, not measured", node.gpu_link_gb_s, what);
    };
    return node.nvlinks ? link(nvlink_alpha_s, node.gpu_link_gb_s,
                               rate("the sum of a GPU's NVLinks"), "GPUs over NVLink")
                        : link(pcie_alpha_s, node.gpu_link_gb_s, rate("PCIe between GPUs"),
                               "GPUs over PCIe");
}

double alpha_between_nodes_s(const std::string& protocol, bool gpus) {
    constexpr double infiniband_s = 2e-6, gpu_s = 3e-6, tcp_s = 20e-6;
    const bool direct = protocol == "InfiniBand" || protocol == "RoCE";
    return direct ? infiniband_s + (gpus ? gpu_s : 0.0) : tcp_s;
}

/// As many of the ports as ranks can share evenly.
int ports_for(int ranks, int ports) {
    const auto evenly = [&](int count) { return count % ranks == 0 || ranks % count == 0; };
    while (ports > 1 && !evenly(ports)) --ports;
    return std::max(ports, 1);
}

/// A virtual port's rate is what its driver pretends.
std::string protocol_in_words(const NodeParts& node) {
    if (node.protocol.empty()) return "no port was found";
    return node.protocol == "virtual" ? "Ethernet" : node.protocol;
}

collectives::NicDescription nics(const NodeParts& node, int ranks) {
    constexpr double assumed_gb_s = 1.25;
    collectives::NicDescription described;
    described.per_node = ports_for(ranks, node.ports);
    const bool known = node.port_gb_s > 0.0;
    described.bandwidth_gb_s = known ? node.port_gb_s : assumed_gb_s;
    if (node.ports == 0) {
        described.source = "assumption (10 Gb/s): no network port that is up was found";
        return described;
    }
    const std::string count =
        fmt::format("{} {}port{} of {}", node.ports, node.protocol == "virtual" ? "virtual " : "",
                    node.ports == 1 ? "" : "s", protocol_in_words(node));
    described.source =
        known ? fmt::format("{}, {:g} Gb/s nominal each, not measured", count, node.port_gb_s * 8.0)
              : count + ", whose rate the kernel does not report: 10 Gb/s is an assumption";
    if (described.per_node != node.ports) {
        described.source +=
            fmt::format("; {} of them, which {} ranks share evenly", described.per_node, ranks);
    }
    if (node.slower_ports > 0) {
        described.source +=
            fmt::format("; slower ports ({} of them) are left out", node.slower_ports);
    }
    return described;
}

collectives::ReductionDescription reduction(const NodeParts& node) {
    collectives::ReductionDescription described = collectives::typical_cluster()->reduction;
    constexpr double passes = 3.0, assumed_gb_s = 500.0;
    if (node.gpus == 0) {
        described.source = "assumption (a processor core out of cache), not measured";
    } else if (node.gpu_memory_gb_s > 0.0) {
        described.rate_gb_s = node.gpu_memory_gb_s / passes;
        described.source = fmt::format(
            "a third of {:.4g} GB/s of memory, nominal, as a sum reads twice and writes once; not "
            "measured",
            node.gpu_memory_gb_s);
    } else {
        described.rate_gb_s = assumed_gb_s;
        described.source = "assumption (a third of 1500 GB/s of GPU memory), not measured";
    }
    return described;
}

}  // namespace

collectives::ClusterDescription nominal_description(const Discovery& discovery,
                                                    int ranks_per_node) {
    const MostNodes most = most_nodes(discovery);
    const NodeParts& node = most.parts;
    const int by_itself = node.gpus > 0 ? node.gpus : node.ranks;
    collectives::ClusterDescription cluster;
    cluster.name = "discovered";
    cluster.nodes = static_cast<int>(discovery.nodes.size());
    cluster.ranks_per_node = ranks_per_node > 0 ? ranks_per_node : by_itself;
    cluster.source = fmt::format(
        "discovered by shardstone topology, not measured: rates are nominal, latencies assumed; "
        "{} of {} nodes are like this; shardstone calibrate measures them",
        most.count, discovery.nodes.size());
    cluster.intra_node = intra_node(node);
    cluster.nics = nics(node, cluster.ranks_per_node);
    const int ports_of_rank = std::max(1, cluster.nics->per_node / cluster.ranks_per_node);
    const std::string way = protocol_in_words(node);
    cluster.inter_node = link(alpha_between_nodes_s(node.protocol, node.gpus > 0),
                              cluster.nics->bandwidth_gb_s * ports_of_rank, "as nics", way.c_str());
    cluster.reduction = reduction(node);
    return cluster;
}

}  // namespace shardstone::benchmarks
