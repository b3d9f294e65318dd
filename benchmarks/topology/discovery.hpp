// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "results/inventory/inventory.hpp"

namespace shardstone::benchmarks {

/// What the nodes of a communicator are made of, and where they differ.
struct Discovery {
    results::Inventory found;
    std::vector<results::NodeRow> nodes;
    std::vector<results::AsymmetryRow> asymmetries;

    /// Rows that bend measurements.
    int bending() const;
};

/// Looks at every node from its lowest rank, and at the variables and processors of every rank.
/// Nodes are those of the communicator's topology, as found or declared. `source` may be another on
/// each rank. Complete on rank 0, empty elsewhere. Collective.
Discovery discover(const collectives::Communicator& world, const results::InventorySource& source);

}  // namespace shardstone::benchmarks
