// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/schema/topology.hpp"

namespace shardstone::results {

/// "0-3, 7" of numbers that grow.
std::string ranges_in_words(const std::vector<int>& numbers);

/// The same finding on any number of nodes.
struct AsymmetryGroup {
    AsymmetryRow row;   ///< of the first of them
    std::string where;  ///< "node 3 (cn04)", "nodes 0-3, 7 (cn01, cn02, cn03 ...)", "all nodes"
};

/// Rows that differ in their node only as one, in the order of the first of each. Pure.
std::vector<AsymmetryGroup> grouped(const std::vector<AsymmetryRow>& rows);

/// "memory_bytes: 192 GiB, usually 256 GiB".
std::string in_words(const AsymmetryRow& row);

/// Nodes with the same hardware as one.
struct NodeGroup {
    NodeRow row;  ///< of the first of them
    std::string where;
};
std::vector<NodeGroup> grouped(const std::vector<NodeRow>& rows);

/// "2 x AMD EPYC 9654, 192 cores, 8 NUMA nodes, 1.5 TiB, 8 GPUs, 9 ports".
std::string in_words(const NodeRow& row);

}  // namespace shardstone::results
