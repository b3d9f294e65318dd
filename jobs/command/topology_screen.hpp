// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/topology/discovery.hpp"

namespace shardstone::command {

/// Output of `topology`: asymmetries first, each with its reason and the command that shows it,
/// then the nodes and the devices of one node of each kind. For rank 0.
void print_discovery(const benchmarks::Discovery& discovery);

}  // namespace shardstone::command
