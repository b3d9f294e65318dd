// SPDX-License-Identifier: BSD-3-Clause
// Which NIC a rank uses.
#include "benchmarks/interconnect/rails.hpp"

#include "kernels/base/error.hpp"

namespace shardstone::benchmarks {

namespace {

int ranks_on(const collectives::Topology& topology, int node) {
    return static_cast<int>(topology.ranks_on(node).size());
}

}  // namespace

int rail_of(const collectives::Topology& topology, int rank, int rails) {
    return topology.lane_of(rank) * rails / ranks_on(topology, topology.node_of(rank));
}

int first_of_rail(const collectives::Topology& topology, int node, int rail, int rails) {
    const int ranks = ranks_on(topology, node);
    SHARDSTONE_EXPECTS(ranks >= rails);
    const int lane = (rail * ranks + rails - 1) / rails;
    return topology.ranks_on(node)[static_cast<std::size_t>(lane)];
}

}  // namespace shardstone::benchmarks
