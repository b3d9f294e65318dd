// SPDX-License-Identifier: BSD-3-Clause
// Layer-wise model parallelism: the baseline that the pipelines are measured against. The split is
// that of every schedule here (J. Dean et al., "Large scale distributed deep networks", NIPS 2012);
// nothing overlaps.
//
// Split: the layers, one run of them per stage, p stages. Each of the m micro-batches goes forward
// through all stages and backward through all before the next one begins, as one process would do
// it, so one stage is busy at a time.
//
// Sent: the residual stream of each micro-batch over each of the p - 1 borders and its gradient
// back, 2 m (p - 1) messages, as soon as they are there: the next stage has nothing else to do.
//
// Costs: each stage idles m (p - 1)(F + B + W), which is (p - 1) / p of the step however many
// micro-batches there are. One activation is live.
#include "reference/step/schedules/alternation.hpp"

namespace shardstone::reference {

namespace {

const PipelineScheduleRegistration naive_registration({
    .name = "naive",
    .summary = "one micro-batch at a time, forward and backward; one stage busy at a time",
    .stage_passes = [](const PipelineShape& shape,
                       int /*stage*/) { return stage_passes_of({.shape = shape}); },
    .bubble =
        [](const PipelineShape& shape, double f, double b, double w) {
            const double others = shape.stages - 1;
            return idle_share(static_cast<double>(shape.micro_batches) * others * (f + b + w),
                              shape, f, b, w);
        },
    .live = [](const PipelineShape& /*shape*/, int /*stage*/) { return std::int64_t{1}; },
});

}  // namespace

}  // namespace shardstone::reference
