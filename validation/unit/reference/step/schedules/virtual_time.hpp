// SPDX-License-Identifier: BSD-3-Clause
// A schedule run in virtual time, for the tests: every turn waits for what it needs and for the
// turn before it on its stage; transfers take no time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/step/schedules/schedule.hpp"

namespace shardstone::validation {

using reference::Pass;
using reference::PipelineSchedule;
using reference::PipelineShape;
using reference::Turn;

/// Whole numbers, so that every comparison is exact. A whole backward pass takes both halves.
struct PassTimes {
    std::int64_t forward = 1;
    std::int64_t backward_input = 1;
    std::int64_t backward_weight = 1;

    std::int64_t sum() const { return forward + backward_input + backward_weight; }
};

/// The turns of all stages.
using StageTurns = std::vector<std::vector<Turn>>;

StageTurns turns_of_all(const PipelineSchedule& schedule, const PipelineShape& shape);

struct Played {
    /// What is wrong, in one line; empty if nothing. The rest counts only then.
    std::string fault;
    std::int64_t total = 0;          ///< from the first turn of any stage to the last of any
    std::int64_t longest_span = 0;   ///< of a stage, from its own first turn to its own last
    std::vector<std::int64_t> live;  ///< per stage: most activations at a time

    /// The idle share of a step.
    double bubble(const PipelineShape& shape, const PassTimes& times) const;
};

/// Finds passes missing, doubled, out of order or never ready; else the times.
Played play(const PipelineShape& shape, const StageTurns& turns, const PassTimes& times);

/// Empty, or how what is played differs from what the schedule claims about itself.
std::string difference(const PipelineSchedule& schedule, const PipelineShape& shape,
                       const StageTurns& turns, const PassTimes& times);

/// The shapes of `schedule` on 1 to 16 stages with 1 to 4 chunks and 1 to 32 micro-batches.
std::vector<PipelineShape> shapes_of(const PipelineSchedule& schedule);

}  // namespace shardstone::validation
