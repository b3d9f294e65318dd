// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "benchmarks/collectives/calibration/fit.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/operation/spec.hpp"
#include "collectives/operation/transport.hpp"

namespace shardstone::benchmarks {

/// Path of a message from one rank to another: over LinkOptions::over, between nodes with one rank
/// of each at work, or all; or through the shared memory of cores.
enum class MessagePath : std::uint8_t {
    inside_node,
    between_nodes,
    between_nodes_at_once,
    shared_memory
};

/// Sizes, duration and data of the measurement.
struct LinkOptions {
    std::vector<std::int64_t> sizes_bytes;  ///< of messages, whole elements; ascending
    double seconds_per_size = 0.1;
    ElementType type = ElementType::fp32;
    collectives::Reduction reduction = collectives::Reduction::sum;
    /// Passes the messages of vectors in its memory, which is that of GPUs unless it is the plain
    /// one.
    const collectives::Transport* over = &collectives::find_transport(collectives::plain_transport);
    bool on_gpus() const { return static_cast<bool>(over->obstacle); }
    /// Called after every measurement with the number done, and their total.
    std::function<void(std::size_t, std::size_t)> progress = [](std::size_t, std::size_t) {};
};

struct LinkTimes {
    double start_s = 0.0;            ///< time of a collective besides its messages
    std::vector<TimedSize> message;  ///< from one rank to the next
};

/// Times of messages: ranks repeatedly send to one neighbour and receive from the other, in a ring
/// of the ranks of each node or of the counterparts on all nodes, with the executors of collectives
/// and as many ranks per core, or GPU. All rings of a path are at work at once; of between_nodes
/// there is one, while all other ranks wait. Each size is measured three times, each time in
/// different memory. There must be two ranks on a node, or two nodes, depending on the path.
/// Collective.
LinkTimes measure_link(collectives::Communicator& communicator, MessagePath path,
                       const LinkOptions& options);

/// Times of local reductions of each size, where vectors are, by all ranks at once. Collective.
std::vector<TimedSize> measure_reductions(const collectives::Communicator& communicator,
                                          const LinkOptions& options);

}  // namespace shardstone::benchmarks
