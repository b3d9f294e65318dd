// SPDX-License-Identifier: BSD-3-Clause
// How nodes and findings are put into words: each once, with the nodes that share it.
#include <gtest/gtest.h>

#include "results/schema/topology_in_words.hpp"

namespace shardstone::validation {
namespace {

using results::AsymmetryRow;

AsymmetryRow finding(double node, const std::string& host, const std::string& found) {
    AsymmetryRow row;
    row.node = node;
    row.host = host;
    row.kind = "memory";
    row.subject = "memory_bytes";
    row.found = found;
    row.usual = "256 GiB";
    row.decided = row.bends = 1.0;
    return row;
}

TEST(TopologyWords, Ranges) {
    EXPECT_EQ(results::ranges_in_words({}), "");
    EXPECT_EQ(results::ranges_in_words({3}), "3");
    EXPECT_EQ(results::ranges_in_words({0, 1, 2, 4, 6, 7}), "0-2, 4, 6-7");
}

TEST(TopologyWords, EqualFindingsAreOne) {
    const auto groups = results::grouped(std::vector{
        finding(1, "a", "192 GiB"), finding(2, "b", "128 GiB"), finding(4, "c", "192 GiB"),
        finding(5, "d", "192 GiB"), finding(6, "e", "192 GiB"),
        finding(results::not_measured, "all nodes", "192 GiB")});
    ASSERT_EQ(groups.size(), 3u);
    EXPECT_EQ(groups[0].where, "nodes 1, 4-6 (a, c, d ...)");
    EXPECT_EQ(groups[1].where, "node 2 (b)");
    EXPECT_EQ(groups[2].where, "all nodes");
    EXPECT_EQ(in_words(groups[0].row), "memory: 192 GiB, usually 256 GiB");
}

TEST(TopologyWords, WhatTheUsualIs) {
    AsymmetryRow row = finding(1, "a", "192 GiB");
    row.decided = 0.0;
    EXPECT_EQ(in_words(row), "memory: 192 GiB, elsewhere 256 GiB");
    row.usual = "";
    EXPECT_EQ(in_words(row), "memory: 192 GiB");
    row.kind = "nic";
    row.subject = "PCIe";
    row.found = "eth0: x8";
    row.usual = "can do x16";
    EXPECT_EQ(in_words(row), "nic PCIe: eth0: x8, can do x16");
}

TEST(TopologyWords, NodesOfAKindAreOneWhateverTheirMemory) {
    std::vector<results::NodeRow> rows(3);
    for (std::size_t node = 0; node < rows.size(); ++node) {
        rows[node].node = static_cast<double>(node);
        rows[node].host = "vm";
        rows[node].cpu = "Planted";
        rows[node].packages = rows[node].numa_nodes = 1.0;
        rows[node].cores = node == 1 ? 8.0 : 4.0;
        rows[node].memory_bytes = 0x1p30 + static_cast<double>(node << 20);
        rows[node].gpus = 2.0;
        rows[node].nics = 1.0;
    }
    const auto groups = results::grouped(rows);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].where, "nodes 0, 2 (vm)");
    EXPECT_EQ(in_words(groups[0].row),
              "1 x Planted, 4 cores, 1 NUMA node, 1 GiB of memory, 2 GPUs, 1 network port");
}

}  // namespace
}  // namespace shardstone::validation
