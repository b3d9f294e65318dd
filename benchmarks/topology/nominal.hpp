// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "benchmarks/topology/discovery.hpp"
#include "collectives/cluster/description.hpp"

namespace shardstone::benchmarks {

/// A cluster as its nodes' devices are labelled: as many nodes as were found, each like most of
/// them. Bandwidths are nominal rates, which no message reaches; latencies, and rates that no
/// device reports, are assumptions, the same as in the descriptions that come with Shardstone. Each
/// source says which, and `measured` is false. `ranks_per_node` 0: one for each GPU, or without
/// GPUs as many as run on most nodes. Switches are not discovered: no fat tree. Pure.
collectives::ClusterDescription nominal_description(const Discovery& discovery, int ranks_per_node);

/// The description as TOML, below comments that say what it rests on, what the nodes are and how
/// they differ.
std::string nominal_toml(const Discovery& discovery,
                         const collectives::ClusterDescription& nominal);

}  // namespace shardstone::benchmarks
