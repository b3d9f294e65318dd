// SPDX-License-Identifier: BSD-3-Clause
// Zero bubble with nearly twice the memory of 1F1B (ZB-H2). P. Qi et al., "Zero bubble pipeline
// parallelism", ICLR 2024.
//
// Split: as ZB-H1 (zero_bubble.cpp), but stage s runs 2 (p - 1 - s) forward passes ahead, which
// fill its wait for the first gradient, and 2 s weight halves behind, which fill the time in which
// the last gradients are on their way. Fewer than 2 p - 1 micro-batches do not fill the pipeline
// and are refused.
//
// Sent: as ZB-H1, 2 m (p - 1) messages.
//
// Costs: a stage idles at most (p - 1) max(0, F + B - 2 W, B - F) between its own first and last
// pass, nothing where F = B = W; this is the paper's (p - 1)(F + B - 2 W) where W <= F and
// 2 W <= F + B. But the last stage begins (p - 1) F after the first, and where W is long ends that
// much later, while a step that clips by the norm of all gradients begins and ends for all stages
// together (the paper updates first and takes back what the norm forbids; Shardstone does not).
// Counted over such a step, as here, each stage idles (p - 1) max(F, F + B - 2 W, B - F): the same
// as with ZB-H1 where B is the shortest of the three (or all are alike), less elsewhere. 2 p - 1
// activations are live on every stage.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/step/schedules/alternation.hpp"

namespace shardstone::reference {

namespace {

std::int64_t in_flight(const PipelineShape& shape) {
    return 2 * std::int64_t{shape.stages} - 1;
}

const PipelineScheduleRegistration zero_bubble_ahead_registration({
    .name = "zb-h2",
    .summary = "zb-h1 with more forward passes ahead: less idle time, 2 p - 1 activations",
    .splits_backward = true,
    .stage_passes =
        [](const PipelineShape& shape, int stage) {
            return stage_passes_of({.shape = shape,
                                    .warm_up = 2 * (std::int64_t{shape.stages} - 1 - stage),
                                    .splits_backward = true,
                                    .weight_delay = 2 * std::int64_t{stage}});
        },
    .bubble =
        [](const PipelineShape& shape, double f, double b, double w) {
            const double idle = (shape.stages - 1) * std::max({f, f + b - 2 * w, b - f});
            return idle_share(idle, shape, f, b, w);
        },
    .live = [](const PipelineShape& shape, int /*stage*/) { return in_flight(shape); },
    .require =
        [](const PipelineShape& shape) {
            require(shape.micro_batches >= in_flight(shape), [&] {
                return fmt::format(
                    "schedule zb-h2 needs {} or more micro-batches to fill {} "
                    "stages, not {}: use {}, or schedule zb-h1",
                    in_flight(shape), shape.stages, shape.micro_batches, in_flight(shape));
            });
        },
});

}  // namespace

}  // namespace shardstone::reference
