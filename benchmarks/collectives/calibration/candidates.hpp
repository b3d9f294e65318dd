// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/collectives/calibration/calibrate.hpp"

namespace shardstone::benchmarks {

/// Inputs and progress callback of the measurement of candidates.
struct CandidateContext {
    const collectives::ClusterDescription& links;  ///< the description so far
    /// Called after every measurement with the number done, and its maximum.
    std::function<void(std::size_t, std::size_t)> progress;
};

/// Times of an operation's candidate algorithms on these ranks, in ordinary memory, over sizes up
/// to the largest: all algorithms without a schedule, and those with one that are predicted to be
/// among the fastest at any size by the links described so far. All are measured once, at a few
/// sizes; those close to the fastest at one of them are then measured at all sizes in turns, with
/// the median of several rounds. Collective.
std::vector<collectives::MeasuredCollective> measure_candidates(
    collectives::Communicator& communicator, const std::string& operation,
    const CalibrationOptions& options, const CandidateContext& context);

}  // namespace shardstone::benchmarks
