// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/cluster/topology.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

/// Bytes that a rank sends by its schedule, by where the receiver is.
struct Traffic {
    double inside_node_bytes = 0.0;
    double between_nodes_bytes = 0.0;
};

/// Of one run, for an algorithm with a schedule. Local.
Traffic scheduled_traffic(const collectives::Algorithm& algorithm,
                          const collectives::Topology& topology, int rank,
                          const collectives::CollectiveSpec& spec);

}  // namespace shardstone::benchmarks
