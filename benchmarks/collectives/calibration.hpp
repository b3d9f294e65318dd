// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "collectives/cluster/communicator.hpp"
#include "collectives/executors/reduction.hpp"
#include "collectives/schedule/cost_model.hpp"

namespace shardstone::benchmarks {

struct MessageTime {
    std::int64_t size_bytes = 0;
    double time_s = 0.0;
};

/// The alpha and beta, neither negative, whose alpha + n beta meets the time of the smallest
/// message and comes closest to the others in relative terms (least squares of fitted / measured -
/// 1). So latency stays what it is where the library changes protocol on the way to large messages,
/// and no straight line fits all. At least two different sizes.
collectives::LinkCost fit_link(std::span<const MessageTime> times);

/// Measures the cost model's parameters on the ranks at hand. Collective, takes about two seconds.
///
/// Links: all ranks at once send to a neighbour and receive from the other one, a ring shift inside
/// each node and one between counterparts on neighbouring nodes, with the same executor and as many
/// ranks per core as the sweep itself, at a few sizes. With one node, or one rank per node, both
/// classes get the one that exists. Gamma: a reduction on all ranks at once, out of cache.
collectives::CostParameters calibrate(collectives::Communicator& communicator, ElementType type,
                                      collectives::Reduction reduction);

}  // namespace shardstone::benchmarks
