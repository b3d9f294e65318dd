// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the record that `shardstone topology` writes. Nodes are numbered as the ranks' nodes
// are. What a node does not report is not a number, or an empty text.

/// Table "asymmetries": one property in which a node differs from most others, or in which a device
/// stays below what it can do.
struct AsymmetryRow {
    using Row = AsymmetryRow;
    double node = not_measured;
    std::string host;
    std::string kind;
    std::string subject;
    std::string found;
    std::string usual;
    double decided = not_measured;
    double bends = not_measured;
    std::string why;
    std::string command;

    static const TableSchema<AsymmetryRow> schema;
};

/// Table "nodes": one node in short.
struct NodeRow {
    using Row = NodeRow;
    double node = not_measured;
    std::string host;
    std::string ranks;
    std::string cpu;
    double packages = not_measured;
    double cores = not_measured;
    double hardware_threads = not_measured;
    double numa_nodes = not_measured;
    double memory_bytes = not_measured;
    double gpus = not_measured;
    double nics = not_measured;
    double asymmetries = not_measured;

    static const TableSchema<NodeRow> schema;
};

/// Table "devices": one GPU, or one port of a network adapter.
struct DeviceRow {
    using Row = DeviceRow;
    double node = not_measured;
    std::string kind;
    std::string name;
    std::string address;
    std::string model;
    double numa_node = not_measured;
    std::string state;
    std::string protocol;
    double rate_gb_s = not_measured;
    double mtu_bytes = not_measured;
    double memory_bytes = not_measured;
    double memory_rate_gb_s = not_measured;
    double most_mhz = not_measured;
    double power_limit_w = not_measured;
    double links = not_measured;
    double links_down = not_measured;
    double link_rate_gb_s = not_measured;
    double pcie_width = not_measured;
    double pcie_most_width = not_measured;
    double pcie_gt_s = not_measured;
    double pcie_most_gt_s = not_measured;
    std::string settings;
    std::string firmware;

    static const TableSchema<DeviceRow> schema;
};

/// Table "device_links": the way between two GPUs, or a GPU and a network adapter, of a node.
struct DeviceLinkRow {
    using Row = DeviceLinkRow;
    double node = not_measured;
    std::string from;
    std::string to;
    std::string to_kind;
    std::string path;
    double rate_gb_s = not_measured;

    static const TableSchema<DeviceLinkRow> schema;
};

/// Table "facts": one property of a node as found, which asymmetries are derived from.
struct FactRow {
    using Row = FactRow;
    double node = not_measured;
    std::string kind;
    std::string subject;
    std::string text;
    double number = not_measured;

    static const TableSchema<FactRow> schema;
};

}  // namespace shardstone::results
