// SPDX-License-Identifier: BSD-3-Clause
// GPipe. Y. Huang et al., "GPipe: efficient training of giant neural networks using pipeline
// parallelism", NeurIPS 2019.
//
// Split: the layers over p stages, the batch into m micro-batches. All micro-batches go forward,
// then all go backward, in the same order.
//
// Sent: the residual stream of each micro-batch over each border as soon as its forward pass is
// over, its gradient back as soon as its backward pass is: 2 m (p - 1) messages, which have the
// next micro-batch's pass to hide behind.
//
// Costs: each stage idles (p - 1)(F + B + W), which is (p - 1) / m of its work and
// (p - 1) / (m + p - 1) of the step. All m activations are live.
//
// The paper runs the backward passes in reverse. Time and memory are the same either way; first in,
// first out adds the gradients in the order of one process, so that ordinary sums agree with those
// of one rank too, not only exact ones, and all schedules here have it in common.
#include "reference/step/schedules/alternation.hpp"

namespace shardstone::reference {

namespace {

const PipelineScheduleRegistration gpipe_registration({
    .name = "gpipe",
    .summary = "all micro-batches forward, then all backward; keeps all activations",
    .stage_passes =
        [](const PipelineShape& shape, int /*stage*/) {
            return stage_passes_of({.shape = shape, .warm_up = passes_of(shape)});
        },
    .bubble = [](const PipelineShape& shape, double f, double b,
                 double w) { return idle_share((shape.stages - 1) * (f + b + w), shape, f, b, w); },
    .live = [](const PipelineShape& shape, int /*stage*/) { return shape.micro_batches; },
});

}  // namespace

}  // namespace shardstone::reference
