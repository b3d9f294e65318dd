// SPDX-License-Identifier: BSD-3-Clause
// In place of collectives/cluster/discovery.cpp: SMPI takes every host for a node, while a host of
// ours is one rank that says which node it is on (platform.cpp).
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "collectives/cluster/native.hpp"

namespace shardstone::collectives {

Topology discover_topology(MPI_Comm comm) {
    int size = 1;
    SHARDSTONE_MPI(MPI_Comm_size(comm, &size));
    const int node = std::stoi(simgrid::s4u::this_actor::get_host()->get_property("node"));
    std::vector<int> nodes(static_cast<std::size_t>(size));
    SHARDSTONE_MPI(MPI_Allgather(&node, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm));
    return Topology(nodes);
}

}  // namespace shardstone::collectives
