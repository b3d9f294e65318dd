// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/collectives/sweep/plan.hpp"
#include "benchmarks/collectives/sweep/point.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// Measures a point's algorithm against itself: two identically prepared contenders, each with its
/// own buffers, in turns. Uses as many iterations per round as fit into about the point's time
/// limit. Collective.
NoiseFloor measure_noise_floor(collectives::Communicator& communicator, const SweepOptions& options,
                               const SweepPlan& plan, const SweepPoint& point, Watch& watch);

}  // namespace shardstone::benchmarks
