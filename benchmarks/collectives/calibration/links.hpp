// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benchmarks/collectives/calibration/fit.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::benchmarks {

/// How a message gets from one rank to another.
enum class MessagePath : std::uint8_t { mpi_inside_node, mpi_between_nodes, shared_memory };

/// What a message takes: all ranks at once send to a neighbour and receive from the other one, in a
/// ring of the ranks of each node or of the counterparts on all nodes, by the executors that run
/// collectives and with as many ranks per core. Sizes are multiples of 4. There are two ranks on a
/// node, or two nodes, as the path needs. Collective.
std::vector<TimedSize> measure_link(collectives::Communicator& communicator, MessagePath path,
                                    std::span<const std::int64_t> sizes_bytes, double seconds);

/// What reducing so many received bytes takes, on all ranks at once. Sizes are whole elements.
/// Collective.
std::vector<TimedSize> measure_reductions(const collectives::Communicator& communicator,
                                          ElementType type, collectives::Reduction reduction,
                                          std::span<const std::int64_t> sizes_bytes,
                                          double seconds);

}  // namespace shardstone::benchmarks
