// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/topology.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

/// The ranks of the running test program are on nodes of so many each, while this lives.
class DeclaredNodes {
  public:
    explicit DeclaredNodes(int ranks_per_node) {
        world().declare_topology(collectives::Topology::blocked(world().size(), ranks_per_node));
    }
    DeclaredNodes(const DeclaredNodes&) = delete;
    DeclaredNodes& operator=(const DeclaredNodes&) = delete;
    ~DeclaredNodes() { world().declare_topology(world().found_topology()); }
};

}  // namespace shardstone::validation
