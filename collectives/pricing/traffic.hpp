// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/topology.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

/// Bytes that a rank sends, by location of the receiver.
struct Traffic {
    double inside_node_bytes = 0.0;
    double between_nodes_bytes = 0.0;

    double bytes() const { return inside_node_bytes + between_nodes_bytes; }
    Traffic& operator+=(const Traffic& other) {
        inside_node_bytes += other.inside_node_bytes;
        between_nodes_bytes += other.between_nodes_bytes;
        return *this;
    }
};

/// For one run of the schedule; zero for an algorithm without one. Local.
Traffic scheduled_traffic(const Algorithm& algorithm, const Topology& topology, int rank,
                          const CollectiveSpec& spec);

}  // namespace shardstone::collectives
