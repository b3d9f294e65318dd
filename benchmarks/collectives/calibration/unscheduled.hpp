// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/collectives/calibration/calibrate.hpp"

namespace shardstone::benchmarks {

/// What an operation's algorithms without a schedule take on these ranks, in ordinary memory, over
/// sizes up to the largest: the median of three sweeps. Calls `progress` with how many points are
/// done, of how many. Collective.
std::vector<collectives::MeasuredCollective> measure_unscheduled(
    collectives::Communicator& communicator, const std::string& operation,
    const CalibrationOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace shardstone::benchmarks
