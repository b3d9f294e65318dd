// SPDX-License-Identifier: BSD-3-Clause
// What of an interconnect is measured, and for how long.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/cluster/topology.hpp"
#include "collectives/executors/pair_messages.hpp"
#include "validation/interconnect/acceptance.hpp"

namespace shardstone::validation {

/// The tests that are made; one of them at least.
struct InterconnectParts {
    bool pairs = true;       ///< of nodes, and of ranks inside them
    bool congestion = true;  ///< pairs under loads of the network; of two nodes or more
    bool ranks = true;       ///< work on every rank
    bool clocks = true;      ///< of nodes; of two or more
    bool traffic = false;    ///< predicted by the description of the communicator
};

struct InterconnectOptions {
    /// Of the messages: the smallest for latency, the largest for rate. Multiples of 8, ascending,
    /// each once.
    std::vector<std::int64_t> sizes_bytes{8, 64 << 10, 4 << 20};
    collectives::DataMemory memory = collectives::DataMemory::host;  ///< of messages of pairs
    bool alone = false;                                              ///< one pair at a time
    int rails = 1;  ///< NICs of a node, each tested by ranks of its own (rails.hpp)
    InterconnectParts parts;
    /// Seconds for all measurements. Each is made at least the least number of times, which may
    /// take longer.
    double budget_s = 60.0;
    double soak_s = 0.0;  ///< seconds of a soak after them (soak.hpp); 0: none
    std::vector<AcceptanceLimit> limits;
};

/// Throws Error for sizes that cannot be measured, because a message of that size is more than MPI
/// takes or because a rank has no memory for its buffers, and for more NICs than ranks of a node,
/// or a soak of one rank.
/// `ranks_of_machine`: most that run under one kernel, however nodes are declared. Local.
void require_measurable(const InterconnectOptions& options, const collectives::Topology& topology,
                        int ranks_of_machine);

}  // namespace shardstone::validation
