// SPDX-License-Identifier: BSD-3-Clause
// One forward, one backward, with a flush at the end of every step. D. Narayanan et al.,
// "Memory-efficient pipeline-parallel DNN training", ICML 2021 (PipeDream-Flush).
//
// Split: the layers over p stages, the batch into m micro-batches. Stage s runs just as many
// forward passes ahead as the way to the last stage and back needs, p - 1 - s (or m, if there are
// fewer), then one forward and one backward pass in turns.
//
// Sent: what GPipe sends, 2 m (p - 1) messages; in the steady part a stage sends each way once per
// F + B + W.
//
// Costs: the idle time of GPipe, (p - 1)(F + B + W) per stage, (p - 1) / (m + p - 1) of the step,
// also where forward and backward passes take unequal times: the last stage never waits once it has
// begun. At most min(m, p - s) activations are live instead of m.
#include <algorithm>

#include "reference/step/schedules/alternation.hpp"

namespace shardstone::reference {

namespace {

const PipelineScheduleRegistration one_f_one_b_registration({
    .name = "1f1b",
    .summary = "alternating forward and backward: GPipe's time, activations of only p - s",
    .stage_passes =
        [](const PipelineShape& shape, int stage) {
            const std::int64_t warm_up = shape.stages - 1 - stage;
            return stage_passes_of(
                {.shape = shape, .warm_up = std::min(warm_up, passes_of(shape))});
        },
    .bubble = [](const PipelineShape& shape, double f, double b,
                 double w) { return idle_share((shape.stages - 1) * (f + b + w), shape, f, b, w); },
    .live =
        [](const PipelineShape& shape, int stage) {
            return std::min<std::int64_t>(shape.micro_batches, shape.stages - stage);
        },
});

}  // namespace

}  // namespace shardstone::reference
