// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/collectives/calibration/calibrate.hpp"

namespace shardstone::benchmarks {

/// What an operation's likely algorithms take on these ranks, in ordinary memory, over sizes up to
/// the largest: those without a schedule, and of those with one what `links`, the description so
/// far, expects to be among the fastest at any size. All are measured once, at few sizes; those
/// that came near the fastest at one of them, at all sizes and in turns, with the median of
/// several rounds. Calls `progress` with how many points of the present sweep are measured.
/// Collective.
std::vector<collectives::MeasuredCollective> measure_candidates(
    collectives::Communicator& communicator, const std::string& operation,
    const CalibrationOptions& options, const collectives::ClusterDescription& links,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace shardstone::benchmarks
