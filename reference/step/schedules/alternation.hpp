// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "reference/step/schedules/schedule.hpp"

namespace shardstone::reference {

/// What all schedules have in common. A stage runs `warm_up` forward passes, then in turns one
/// forward and one backward pass as long as there are forward passes left, then the other backward
/// passes. Its chunks take turns after every `stages` micro-batches: the first chunk first on the
/// way forward, the last first on the way back. If the backward pass is split, a backward pass is
/// its input half, and the weight half of a micro-batch follows the input half of the one
/// `weight_delay` later; those left follow at the end.
struct Alternation {
    PipelineShape shape;  ///< micro_batches a multiple of stages if there is more than one chunk
    std::int64_t warm_up = 0;  ///< at most chunks * micro_batches
    bool splits_backward = false;
    std::int64_t weight_delay = 0;
};

std::vector<StagePass> stage_passes_of(const Alternation& alternation);

/// Passes of one kind that a stage runs in a step.
inline std::int64_t passes_of(const PipelineShape& shape) {
    return shape.chunks * shape.micro_batches;
}

/// The share of a step that a stage idles if it idles for `idle`; times as in
/// PipelineSchedule::bubble.
inline double idle_share(double idle, const PipelineShape& shape, double f, double b, double w) {
    return idle / (idle + static_cast<double>(passes_of(shape)) * (f + b + w));
}

}  // namespace shardstone::reference
