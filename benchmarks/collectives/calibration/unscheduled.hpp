// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/collectives/calibration/calibrate.hpp"

namespace shardstone::benchmarks {

/// What an operation's algorithms without a schedule take on these ranks, in ordinary memory, over
/// sizes up to the largest: the median of three sweeps. Collective.
std::vector<collectives::MeasuredCollective> measure_unscheduled(
    collectives::Communicator& communicator, const std::string& operation,
    const CalibrationOptions& options);

}  // namespace shardstone::benchmarks
