// SPDX-License-Identifier: BSD-3-Clause
// Where nodes differ: who is named against how many, which counters stand out, what all have alike.
#include "results/inventory/asymmetries.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "results/inventory/properties.hpp"

namespace shardstone::validation {
namespace {

using results::AsymmetryRow;
using results::Inventory;
using results::number_fact;
using results::text_fact;

std::vector<std::string> hosts(int nodes) {
    std::vector<std::string> names;
    for (int node = 0; node < nodes; ++node) names.push_back("cn0" + std::to_string(node));
    return names;
}

/// One fact with these values on as many nodes.
template <class Value>
std::vector<AsymmetryRow> found(const std::string& kind, const std::string& subject,
                                const std::vector<Value>& values) {
    Inventory all;
    int node = 0;
    for (const Value& value : values) {
        Inventory one;
        if constexpr (std::is_same_v<Value, double>) {
            if (std::isfinite(value)) one.facts.push_back(number_fact(kind, subject, value));
        } else {
            if (!value.empty()) one.facts.push_back(text_fact(kind, subject, value));
        }
        add_node(node++, one, all);
    }
    return find_asymmetries(all, hosts(node));
}

using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;

TEST(Asymmetries, TheOddOneIsNamedAgainstTheUsual) {
    const auto rows =
        found("clock", "governor", Texts{"performance", "performance", "powersave", "performance"});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].node, 2.0);
    EXPECT_EQ(rows[0].host, "cn02");
    EXPECT_EQ(rows[0].found, "powersave");
    EXPECT_EQ(rows[0].usual, "performance");
    EXPECT_EQ(rows[0].decided, 1.0);
    EXPECT_EQ(rows[0].bends, 1.0);
    EXPECT_NE(rows[0].command.find("scaling_governor"), std::string::npos);
    EXPECT_FALSE(rows[0].why.empty());
}

TEST(Asymmetries, TheUsualNeedNotBeTheFirst) {
    const auto rows = found("processor", "cores", Numbers{64, 96, 96});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].node, 0.0);
    EXPECT_EQ(rows[0].found, "64");
    EXPECT_EQ(rows[0].usual, "96");
}

TEST(Asymmetries, OfTwoEitherMayBeOdd) {
    const auto rows = found("processor", "cores", Numbers{64, 96});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].node, 1.0);
    EXPECT_EQ(rows[0].decided, 0.0);
    EXPECT_EQ(found("processor", "cores", Numbers{64, 96, 64, 96})[0].decided, 0.0);
    EXPECT_EQ(found("processor", "cores", Numbers{64, 96, 64, 64})[0].decided, 1.0);
}

TEST(Asymmetries, CoresOfANodeDiffer) {
    const std::string mixed = "performance on 3, powersave on 1";
    const auto alone = found("clock", "governor", Texts{mixed});
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_EQ(alone[0].bends, 1.0);
    EXPECT_EQ(alone[0].usual, "one on all cores");
    EXPECT_TRUE(found("clock", "governor", Texts{"powersave"}).empty());
    const auto all = found("clock", "governor", Texts{mixed, mixed});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(std::isnan(all[0].node));
    EXPECT_EQ(all[0].bends, 0.0);
}

TEST(Asymmetries, WhatOneNodeLacksIsADifference) {
    const auto unset = found("variable", "UCX_TLS", Texts{"rc", "", "rc"});
    ASSERT_EQ(unset.size(), 1u);
    EXPECT_EQ(unset[0].node, 1.0);
    EXPECT_EQ(unset[0].found, "not set");
    EXPECT_EQ(unset[0].command, "printenv UCX_TLS");
    const auto set = found("variable", "LD_PRELOAD", Texts{"", "", "x.so"});
    ASSERT_EQ(set.size(), 1u);
    EXPECT_EQ(set[0].node, 2.0);
    EXPECT_EQ(set[0].usual, "not set");
    EXPECT_EQ(found("library", "libucp", Texts{"a", "a", ""})[0].found, "not loaded");
    EXPECT_EQ(found("clock", "boost", Texts{"1", "", "1"})[0].found, "not reported");
}

TEST(Asymmetries, MemoryMayDifferByTwoPercent) {
    constexpr double gib = 0x1p30;
    EXPECT_TRUE(found("memory", "memory_bytes", Numbers{256 * gib, 251 * gib, 256 * gib}).empty());
    const auto rows = found("memory", "memory_bytes", Numbers{256 * gib, 250 * gib, 256 * gib});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].node, 1.0);
    EXPECT_EQ(rows[0].found, "250 GiB");
    EXPECT_EQ(rows[0].usual, "256 GiB");
}

TEST(Asymmetries, FirmwareIsOnlyNotedAndComesLast) {
    Inventory all;
    for (int node = 0; node < 3; ++node) {
        Inventory one;
        one.facts.push_back(text_fact("firmware", "BIOS", node == 0 ? "1.0" : "2.7"));
        one.facts.push_back(text_fact("software", "kernel", node == 2 ? "6.1" : "5.14"));
        add_node(node, one, all);
    }
    const auto rows = find_asymmetries(all, hosts(3));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].subject, "kernel");
    EXPECT_EQ(rows[0].bends, 1.0);
    EXPECT_EQ(rows[1].subject, "BIOS");
    EXPECT_EQ(rows[1].bends, 0.0);
}

/// The same counter of another device on each node.
std::vector<AsymmetryRow> counted(const std::string& counter, const Numbers& counts) {
    Inventory all;
    for (std::size_t node = 0; node < counts.size(); ++node) {
        Inventory one;
        const std::string device = "dev" + std::to_string(node);
        if (counts[node] > 0) {
            one.facts.push_back(number_fact("counter", device + " " + counter, counts[node]));
        }
        add_node(static_cast<double>(node), one, all);
    }
    return find_asymmetries(all, hosts(static_cast<int>(counts.size())));
}

TEST(Asymmetries, CountersThatStandOut) {
    // Ten times the median of the others, whatever the devices are called, is still usual.
    EXPECT_TRUE(counted("symbol_error", {100, 20, 10, 5}).empty());
    const auto rows = counted("symbol_error", {101, 20, 10, 5});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].node, 0.0);
    EXPECT_EQ(rows[0].subject, "dev0 symbol_error");
    EXPECT_EQ(rows[0].found, "101 since boot");
    EXPECT_EQ(rows[0].usual, "10");
    EXPECT_EQ(rows[0].bends, 1.0);
    const auto few = counted("ce_count", {0, 10, 0});
    ASSERT_EQ(few.size(), 1u);
    EXPECT_EQ(few[0].bends, 0.0);
    EXPECT_EQ(counted("ce_count", {0, 11, 0})[0].bends, 1.0);
}

TEST(Asymmetries, OfManyCoresTheWorstIsNamed) {
    Inventory all;
    Inventory one;
    for (int core = 0; core < 64; ++core) {
        one.facts.push_back(number_fact("counter",
                                        "cpu" + std::to_string(core) + " core_throttle_count",
                                        core == 17 ? 4000.0 : 100.0 + core));
    }
    add_node(0, one, all);
    for (auto& fact : one.facts) fact.number = 5.0;
    add_node(1, one, all);
    const auto rows = find_asymmetries(all, hosts(2));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].node, 0.0);
    EXPECT_EQ(rows[0].subject, "cpu17 core_throttle_count");
    EXPECT_EQ(rows[0].found, "4000 since boot, the most of 64 devices");
    EXPECT_EQ(rows[0].usual, "5");
}

TEST(Asymmetries, UncorrectedErrorsAlwaysCount) {
    for (const char* counter :
         {"ue_count", "aer_dev_fatal", "aer_dev_nonfatal", "gpu_uncorrected"}) {
        const auto rows = counted(counter, {1, 1, 1});
        ASSERT_EQ(rows.size(), 3u) << counter;
        for (const auto& row : rows) EXPECT_EQ(row.bends, 1.0);
    }
}

TEST(Asymmetries, ASingleNodeHasManyErrorsOrNone) {
    EXPECT_TRUE(counted("rx_crc_errors", {10}).empty());
    const auto rows = counted("rx_crc_errors", {11});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].usual, "");
    EXPECT_EQ(counted("ue_count", {1}).size(), 1u);
}

Inventory with_ports(const std::vector<double>& widths, double gt_s = 32.0) {
    Inventory all;
    for (std::size_t node = 0; node < widths.size(); ++node) {
        Inventory one;
        results::DeviceRow port;
        port.kind = "nic";
        port.name = "mlx5_0/1";
        port.state = "up";
        port.protocol = "InfiniBand";
        port.rate_gb_s = 50.0;
        port.pcie_width = widths[node];
        port.pcie_most_width = 16.0;
        port.pcie_gt_s = gt_s;
        port.pcie_most_gt_s = 32.0;
        one.devices.push_back(port);
        add_node(static_cast<double>(node), one, all);
    }
    return all;
}

TEST(Asymmetries, LanesBelowWhatTheDeviceCanDo) {
    EXPECT_TRUE(find_asymmetries(with_ports({16, 16, 16}), hosts(3)).empty());
    const auto rows = find_asymmetries(with_ports({16, 8, 16}), hosts(3));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].node, 1.0);
    EXPECT_EQ(rows[0].found, "mlx5_0/1: x8");
    EXPECT_EQ(rows[0].usual, "can do x16");
    EXPECT_EQ(rows[0].bends, 1.0);
    // A board that gives eight lanes to all is as it was built; alone it cannot be known.
    const auto all = find_asymmetries(with_ports({8, 8, 8}), hosts(3));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(std::isnan(all[0].node));
    EXPECT_EQ(all[0].host, "all nodes");
    EXPECT_EQ(all[0].bends, 0.0);
    EXPECT_EQ(find_asymmetries(with_ports({8}), hosts(1)).at(0).bends, 1.0);
}

TEST(Asymmetries, AnIdleGpuMayBeSlowOnPcie) {
    Inventory all = with_ports({16}, 2.5);
    EXPECT_EQ(find_asymmetries(all, hosts(1)).at(0).bends, 1.0);
    all.devices[0].kind = "gpu";
    const auto rows = find_asymmetries(all, hosts(1));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].found, "mlx5_0/1: 2.5 GT/s");
    EXPECT_EQ(rows[0].bends, 0.0);
}

TEST(Asymmetries, SlowerPortsAreNamedAndNamesDoNotMatter) {
    Inventory all = with_ports({16, 16, 16});
    all.devices[0].name = "ibp1s0/1";
    EXPECT_TRUE(find_asymmetries(all, hosts(3)).empty()) << "the same port by another name";
    all.devices[2].rate_gb_s = 25.0;
    const auto rows = find_asymmetries(all, hosts(3));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].node, 2.0);
    EXPECT_EQ(rows[0].subject, "ports");
    EXPECT_EQ(rows[0].found, "1 x InfiniBand, 25 GB/s");
    EXPECT_EQ(rows[0].usual, "1 x InfiniBand, 50 GB/s");
}

TEST(Asymmetries, NvlinksThatAreDown) {
    Inventory all;
    for (int node = 0; node < 3; ++node) {
        Inventory one;
        results::DeviceRow gpu;
        gpu.kind = "gpu";
        gpu.name = "gpu0";
        gpu.model = "H100";
        gpu.links = node == 2 ? 17.0 : 18.0;
        gpu.links_down = 18.0 - gpu.links;
        one.devices.push_back(gpu);
        add_node(node, one, all);
    }
    const auto rows = find_asymmetries(all, hosts(3));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].node, 2.0);
    EXPECT_EQ(rows[0].found, "gpu0: 1 down");
    EXPECT_EQ(rows[0].usual, "can do 18");
    all.devices[2].links = 0.0;
    all.devices[2].links_down = 18.0;
    EXPECT_EQ(find_asymmetries(all, hosts(3)).at(0).found, "1 x none up");
}

}  // namespace
}  // namespace shardstone::validation
