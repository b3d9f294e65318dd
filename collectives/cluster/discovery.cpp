// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share a node, found by asking MPI which of them can share memory.
#include <vector>

#include "collectives/cluster/native.hpp"

namespace shardstone::collectives {

Topology discover_topology(MPI_Comm comm) {
    int rank = 0;
    int size = 1;
    SHARDSTONE_MPI(MPI_Comm_rank(comm, &rank));
    SHARDSTONE_MPI(MPI_Comm_size(comm, &size));
    MPI_Comm node = MPI_COMM_NULL;
    SHARDSTONE_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
    int leader = rank;  // the lowest rank of a node names it
    SHARDSTONE_MPI(MPI_Bcast(&leader, 1, MPI_INT, 0, node));
    SHARDSTONE_MPI(MPI_Comm_free(&node));
    std::vector<int> leaders(static_cast<std::size_t>(size));
    SHARDSTONE_MPI(MPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, comm));
    return Topology(leaders);
}

}  // namespace shardstone::collectives
