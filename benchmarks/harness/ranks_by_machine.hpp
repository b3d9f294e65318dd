// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// The ranks of each machine. Nodes that one kernel runs, as containers are, are one, and share its
/// cores. Collective; equal on all ranks.
std::vector<std::vector<int>> ranks_by_machine(const collectives::Communicator& world);

}  // namespace shardstone::benchmarks
