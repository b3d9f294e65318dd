// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "benchmarks/collectives/calibration/fit.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::benchmarks {

/// How a message gets from one rank to another.
enum class MessagePath : std::uint8_t { mpi_inside_node, mpi_between_nodes, shared_memory };

/// On what, and how long.
struct LinkOptions {
    std::vector<std::int64_t> sizes_bytes;  ///< of messages, whole elements; ascending
    double seconds_per_size = 0.1;
    ElementType type = ElementType::fp32;
    collectives::Reduction reduction = collectives::Reduction::sum;
    /// Called after every measurement with how many are done, of how many.
    std::function<void(std::size_t, std::size_t)> progress = [](std::size_t, std::size_t) {};
};

struct LinkTimes {
    double start_s = 0.0;            ///< what a collective takes besides its messages
    std::vector<TimedSize> message;  ///< from one rank to the next
};

/// What messages take: all ranks at once send to a neighbour and receive from the other one, again
/// and again, in a ring of the ranks of each node or of the counterparts on all nodes, by the
/// executors that run collectives and with as many ranks per core. Each size is measured three
/// times, each time in other memory. There are two ranks on a node, or two nodes, as the path
/// needs. Collective.
LinkTimes measure_link(collectives::Communicator& communicator, MessagePath path,
                       const LinkOptions& options);

/// What reducing so many bytes takes, by all ranks at once, each by itself. Collective.
std::vector<TimedSize> measure_reductions(const collectives::Communicator& communicator,
                                          const LinkOptions& options);

}  // namespace shardstone::benchmarks
