// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/collectives/calibration/calibrate.hpp"

namespace shardstone::benchmarks {

/// What is known and told while candidates are measured.
struct CandidateContext {
    const collectives::ClusterDescription& links;  ///< the description so far
    /// Called after every measurement with how many are done, of how many at most.
    std::function<void(std::size_t, std::size_t)> progress;
};

/// What an operation's likely algorithms take on these ranks, in ordinary memory, over sizes up to
/// the largest: those without a schedule, and of those with one what the links, as described so
/// far, let expect to be among the fastest at any size. All are measured once, at few sizes; those
/// that came near the fastest at one of them, at all sizes and in turns, with the median of
/// several rounds. Collective.
std::vector<collectives::MeasuredCollective> measure_candidates(
    collectives::Communicator& communicator, const std::string& operation,
    const CalibrationOptions& options, const CandidateContext& context);

}  // namespace shardstone::benchmarks
