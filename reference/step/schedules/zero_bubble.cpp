// SPDX-License-Identifier: BSD-3-Clause
// Zero bubble within the memory of 1F1B (ZB-H1). P. Qi et al., "Zero bubble pipeline parallelism",
// ICLR 2024.
//
// Split: the layers over p stages, the batch into m micro-batches, the backward pass into its input
// half (B), which the stage before waits for, and its weight half (W), which nobody waits for.
// Stage s runs the forward passes and input halves of 1F1B; the weight half of a micro-batch
// follows the input half of the one s later, so that s weight halves are left for the time in which
// the last gradients are on their way to the first stage.
//
// Sent: what 1F1B sends, 2 m (p - 1) messages; a gradient leaves after B already.
//
// Costs: each stage idles (p - 1)(F + B) - (min(m, p) - 1) min(F, B, W). Where m >= p and W is the
// shortest of the three this is the paper's (p - 1)(F + B - W); a third of 1F1B's where all are
// alike. A longer W cannot shorten the wait for the first input, (p - 1) F, and for the first
// gradient, (p - 1) B. At most min(m, p) activations are live, on every stage alike (1F1B: p on the
// first stage only). An activation counts as live until W is over, though B frees a part of it.
#include <algorithm>

#include "reference/step/schedules/alternation.hpp"

namespace shardstone::reference {

namespace {

const PipelineScheduleRegistration zero_bubble_registration({
    .name = "zb-h1",
    .summary = "1f1b with the weight gradients deferred into the idle time; same peak memory",
    .splits_backward = true,
    .stage_passes =
        [](const PipelineShape& shape, int stage) {
            const std::int64_t warm_up = shape.stages - 1 - stage;
            return stage_passes_of({.shape = shape,
                                    .warm_up = std::min(warm_up, passes_of(shape)),
                                    .splits_backward = true,
                                    .weight_delay = stage});
        },
    .bubble =
        [](const PipelineShape& shape, double f, double b, double w) {
            const auto filled =
                static_cast<double>(std::min<std::int64_t>(shape.micro_batches, shape.stages) - 1);
            const double idle = (shape.stages - 1) * (f + b) - filled * std::min({f, b, w});
            return idle_share(idle, shape, f, b, w);
        },
    .live = [](const PipelineShape& shape,
               int /*stage*/) { return std::min<std::int64_t>(shape.micro_batches, shape.stages); },
});

}  // namespace

}  // namespace shardstone::reference
