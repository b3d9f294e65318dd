// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/inventory/facts.hpp"
#include "results/record/host_state.hpp"
#include "results/schema/topology.hpp"

namespace shardstone::results {

/// What was found on one node, or on all nodes of a cluster: rows name their node.
struct Inventory {
    std::vector<FactRow> facts;
    std::vector<DeviceRow> devices;
    std::vector<DeviceLinkRow> links;
};

/// Where a node is looked at.
struct InventorySource {
    HostFiles files;
    std::string nvml = nvml_library;  ///< empty: NVML is not asked
};

/// This node, as the kernel, hwloc and NVML show it. Local; milliseconds, and up to seconds in
/// which NVML starts.
Inventory take_inventory(const InventorySource& source);

/// As text, to be sent, and back. Throws Error where a table is missing.
std::string to_text(const Inventory& inventory);
Inventory inventory_from_text(const std::string& text);

/// Adds one node's rows to all under this number.
void add_node(double node, Inventory one, Inventory& all);

}  // namespace shardstone::results
