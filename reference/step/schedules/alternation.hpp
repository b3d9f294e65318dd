// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "reference/step/schedules/schedule.hpp"

namespace shardstone::reference {

/// The common structure of all schedules. A stage runs `warm_up` forward passes, then alternates
/// one forward and one backward pass as long as forward passes are left, then runs the remaining
/// backward passes. It changes to the next chunk after every `stages` micro-batches: from the first
/// chunk on in forward passes, from the last in backward passes. If the backward pass is split, a
/// backward pass here is its input half, and the weight half of a micro-batch follows the input
/// half of the one `weight_delay` later; the remaining ones follow at the end.
struct Alternation {
    PipelineShape shape;  ///< micro_batches a multiple of stages if there is more than one chunk
    std::int64_t warm_up = 0;  ///< at most chunks * micro_batches
    bool splits_backward = false;
    std::int64_t weight_delay = 0;
};

std::vector<StagePass> stage_passes_of(const Alternation& alternation);

/// Number of passes of one kind that a stage runs in a step.
inline std::int64_t passes_of(const PipelineShape& shape) {
    return shape.chunks * shape.micro_batches;
}

/// The share of a step for which a stage is idle, given its idle time `idle`; times as in
/// PipelineSchedule::bubble.
inline double idle_share(double idle, const PipelineShape& shape, double f, double b, double w) {
    return idle / (idle + static_cast<double>(passes_of(shape)) * (f + b + w));
}

}  // namespace shardstone::reference
