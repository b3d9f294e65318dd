// SPDX-License-Identifier: BSD-3-Clause
// A schedule run in virtual time, for the tests: every stage pass waits for what it needs and for
// the stage pass before it on its stage; transfers take no time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/step/schedules/schedule.hpp"

namespace shardstone::validation {

using reference::Pass;
using reference::PipelineSchedule;
using reference::PipelineShape;
using reference::StagePass;

/// Whole numbers, so that every comparison is exact. A whole backward pass takes both halves.
struct PassTimes {
    std::int64_t forward = 1;
    std::int64_t backward_input = 1;
    std::int64_t backward_weight = 1;

    std::int64_t sum() const { return forward + backward_input + backward_weight; }
};

/// The stage passes of all stages.
using PassesByStage = std::vector<std::vector<StagePass>>;

PassesByStage stage_passes_of_all(const PipelineSchedule& schedule, const PipelineShape& shape);

struct Played {
    /// What is wrong, in one line; empty if nothing. The rest counts only then.
    std::string fault;
    std::int64_t total = 0;          ///< from the first stage pass of any stage to the last of any
    std::int64_t longest_span = 0;   ///< of a stage, from its own first stage pass to its own last
    std::vector<std::int64_t> live;  ///< per stage: most activations at a time

    /// The idle share of a step.
    double bubble(const PipelineShape& shape, const PassTimes& times) const;
};

/// Finds passes missing, doubled, out of order or never ready; else the times.
Played play(const PipelineShape& shape, const PassesByStage& stage_passes, const PassTimes& times);

/// Empty, or how what is played differs from what the schedule claims about itself.
std::string difference(const PipelineSchedule& schedule, const PipelineShape& shape,
                       const PassesByStage& stage_passes, const PassTimes& times);

/// The shapes of `schedule` on 1 to 16 stages with 1 to 4 chunks and 1 to 32 micro-batches.
std::vector<PipelineShape> shapes_of(const PipelineSchedule& schedule);

}  // namespace shardstone::validation
