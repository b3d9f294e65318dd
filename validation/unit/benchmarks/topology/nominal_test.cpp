// SPDX-License-Identifier: BSD-3-Clause
// A description of what was found: its counts, nominal rates, and what it says of their origin.
#include "benchmarks/topology/nominal.hpp"

#include <gtest/gtest.h>

namespace shardstone::validation {
namespace {

using benchmarks::Discovery;
using benchmarks::nominal_description;
using results::DeviceRow;

DeviceRow port(const std::string& name, double rate_gb_s, const std::string& protocol) {
    DeviceRow row;
    row.kind = "nic";
    row.name = name;
    row.state = "up";
    row.protocol = protocol;
    row.rate_gb_s = rate_gb_s;
    return row;
}

DeviceRow gpu(const std::string& name) {
    DeviceRow row;
    row.kind = "gpu";
    row.name = name;
    row.memory_rate_gb_s = 3351.0;
    return row;
}

/// Nodes of two ranks: eight ports of 400 Gb/s and one of 1 Gb/s, and GPUs if wanted.
Discovery cluster(int nodes, int gpus, const std::string& path = "NVLink", double link_gb_s = 450) {
    Discovery all;
    for (int node = 0; node < nodes; ++node) {
        results::Inventory one;
        one.facts.push_back(results::number_fact("ranks", "ranks", 2.0));
        one.devices.push_back(port("eth0", 0.125, "Ethernet"));
        for (int i = 0; i < 8; ++i) {
            one.devices.push_back(port("mlx5_" + std::to_string(i) + "/1", 50.0, "InfiniBand"));
        }
        for (int i = 0; i < gpus; ++i) one.devices.push_back(gpu("gpu" + std::to_string(i)));
        for (int i = 1; i < gpus; ++i) {
            one.links.push_back({0, "gpu0", "gpu" + std::to_string(i), "gpu", path, link_gb_s});
        }
        add_node(node, one, all.found);
        results::NodeRow row;
        row.node = node;
        row.host = "cn\"0\n" + std::to_string(node);
        row.cpu = "Planted \\ 9000";
        all.nodes.push_back(row);
    }
    return all;
}

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

TEST(Nominal, GpusOnNvlinkWithAPortEach) {
    const auto found = nominal_description(cluster(3, 8), 0);
    EXPECT_EQ(found.nodes, 3);
    EXPECT_EQ(found.ranks_per_node, 8) << "one per GPU, however few ranks looked";
    EXPECT_FALSE(found.measured);
    EXPECT_EQ(found.intra_node.bandwidth_gb_s, 450.0);
    EXPECT_EQ(found.inter_node.bandwidth_gb_s, 50.0);
    ASSERT_TRUE(found.nics);
    EXPECT_EQ(found.nics->per_node, 8);
    EXPECT_EQ(found.nics->bandwidth_gb_s, 50.0);
    EXPECT_EQ(found.reduction.rate_gb_s, 1117.0);
    EXPECT_FALSE(found.fat_tree);
    EXPECT_TRUE(holds(found.nics->source, "8 ports of InfiniBand, 400 Gb/s nominal each"))
        << found.nics->source;
    EXPECT_TRUE(holds(found.nics->source, "slower ports (1 of them) are left out"));
}

TEST(Nominal, NoSourceIsWithoutItsOrigin) {
    for (const int gpus : {0, 1, 8}) {
        const auto found = nominal_description(cluster(2, gpus), 0);
        EXPECT_TRUE(holds(found.source, "not measured"));
        EXPECT_TRUE(holds(found.source, "shardstone calibrate measures them"));
        EXPECT_TRUE(holds(found.intra_node.source, "alpha: assumption")) << found.intra_node.source;
        EXPECT_TRUE(holds(found.inter_node.source, "alpha: assumption")) << found.inter_node.source;
        EXPECT_TRUE(holds(found.nics->source, "nominal")) << found.nics->source;
        EXPECT_TRUE(holds(found.reduction.source, "not measured")) << found.reduction.source;
    }
}

TEST(Nominal, GpusOnPcieAndRanksThatSharePorts) {
    const auto found = nominal_description(cluster(2, 3, "SYS", 31.5), 0);
    EXPECT_EQ(found.ranks_per_node, 3);
    EXPECT_EQ(found.intra_node.bandwidth_gb_s, 31.5);
    EXPECT_TRUE(holds(found.intra_node.source, "PCIe between GPUs"));
    EXPECT_EQ(found.nics->per_node, 6) << "of eight, what three ranks share evenly";
    EXPECT_TRUE(holds(found.nics->source, "6 of them, which 3 ranks share evenly"));
    EXPECT_EQ(found.inter_node.bandwidth_gb_s, 100.0) << "two ports each";
    EXPECT_EQ(nominal_description(cluster(2, 3, "SYS", 31.5), 16).nics->per_node, 8);
    EXPECT_EQ(nominal_description(cluster(2, 3, "SYS", 31.5), 16).inter_node.bandwidth_gb_s, 50.0);
}

TEST(Nominal, WithoutGpusAsManyRanksAsRan) {
    const auto found = nominal_description(cluster(2, 0), 0);
    EXPECT_EQ(found.ranks_per_node, 2);
    EXPECT_TRUE(holds(found.intra_node.source, "bandwidth: assumption"));
    EXPECT_EQ(found.inter_node.bandwidth_gb_s, 200.0);
}

TEST(Nominal, WhatIsNotReportedIsAnAssumption) {
    Discovery all = cluster(1, 0);
    for (DeviceRow& device : all.found.devices) device.state = "down";
    auto found = nominal_description(all, 0);
    EXPECT_EQ(found.nics->bandwidth_gb_s, 1.25);
    EXPECT_TRUE(holds(found.nics->source, "assumption (10 Gb/s): no network port that is up"));
    all.found.devices[0].state = "up";
    all.found.devices[0].rate_gb_s = results::not_measured;
    found = nominal_description(all, 0);
    EXPECT_TRUE(
        holds(found.nics->source, "1 port of Ethernet, whose rate the kernel does not report"));
}

TEST(Nominal, AVirtualPortIsCalledOne) {
    Discovery all = cluster(1, 0);
    all.found.devices = {port("eth0", 1.25, "virtual")};
    all.found.devices[0].node = 0.0;
    const auto found = nominal_description(all, 0);
    EXPECT_EQ(found.nics->source, "1 virtual port of Ethernet, 10 Gb/s nominal each, not measured");
    EXPECT_TRUE(holds(found.inter_node.source, "alpha: assumption (Ethernet)"));
}

TEST(Nominal, TheOddNodeDoesNotBendTheDescription) {
    for (const double odd : {0.0, 1.0, 2.0}) {
        Discovery all = cluster(3, 8);
        for (DeviceRow& device : all.found.devices) {
            if (device.node == odd && device.kind == "nic") device.rate_gb_s /= 2.0;
        }
        const auto found = nominal_description(all, 0);
        EXPECT_EQ(found.nics->bandwidth_gb_s, 50.0) << odd;
        EXPECT_TRUE(holds(found.source, "2 of 3 nodes are like this")) << found.source;
    }
}

TEST(Nominal, IsReadBackAndSafeWithAnyName) {
    Discovery all = cluster(100, 8);
    for (int node = 0; node < 100; ++node) {
        results::AsymmetryRow row;
        row.node = node;
        row.host = "cn\nnodes = 7\n";
        row.kind = "firmware";
        row.subject = "BIOS";
        row.found = std::to_string(node);
        all.asymmetries.push_back(row);
        all.nodes[static_cast<std::size_t>(node)].cpu += std::to_string(node);
    }
    const auto nominal = nominal_description(all, 0);
    const std::string text = nominal_toml(all, nominal);
    EXPECT_EQ(collectives::parse_cluster(text, "here"), nominal);
    EXPECT_TRUE(holds(text, "# ... and 80 more\n"));
    EXPECT_LT(text.size(), 64u << 10);
    EXPECT_TRUE(holds(text, "shardstone calibrate -o FILE"));
}

}  // namespace
}  // namespace shardstone::validation
