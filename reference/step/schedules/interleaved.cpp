// SPDX-License-Identifier: BSD-3-Clause
// Interleaved 1F1B. D. Narayanan et al., "Efficient large-scale language model training on GPU
// clusters using Megatron-LM", SC 2021.
//
// Split: the layers into v p parts; stage s holds v chunks, the parts s, p + s, 2 p + s, ... The m
// micro-batches go in rounds of p: a stage runs its first chunk for p micro-batches, then its
// second chunk for the same ones, and so on; backward the last chunk first. The forward passes run
// ahead by what the way to the end and back needs, 2 (p - 1 - s) + (v - 1) p of a chunk, then one
// forward and one backward pass go in turns.
//
// Sent: 2 m (v p - 1) messages: v times what 1F1B sends, and what goes between chunks from the last
// stage to the first and back.
//
// Costs: with F, B, W those of a chunk, each stage idles (p - 1)(F + B + W), a v-th of 1F1B's idle
// time: (p - 1) / (v m) of its work and (p - 1) / (v m + p - 1) of the step. At most
// min(v m, 2 (p - 1 - s) + (v - 1) p + 1) chunk activations are live; v make one of 1F1B's.
//
// m must be a multiple of p, or the rounds would not close. Megatron-LM lets all passes run ahead
// where m = p; that saves no time here, so it is not done.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/step/schedules/alternation.hpp"

namespace shardstone::reference {

namespace {

std::int64_t warm_up(const PipelineShape& shape, int stage) {
    const std::int64_t ahead =
        2 * (shape.stages - 1 - stage) + (shape.chunks - 1) * std::int64_t{shape.stages};
    return std::min(ahead, passes_of(shape));
}

void require_rounds(const PipelineShape& shape) {
    require(shape.chunks >= 2, [&] {
        return fmt::format(
            "schedule interleaved needs 2 or more chunks per stage, not {}: use 2, "
            "or schedule 1f1b",
            shape.chunks);
    });
    const std::int64_t below = shape.micro_batches / shape.stages * shape.stages;
    require(below == shape.micro_batches, [&] {
        const std::string nearest = below > 0 ? fmt::format("{} or ", below) : "";
        return fmt::format(
            "schedule interleaved runs micro-batches in rounds of {}, one per stage, "
            "which {} do not fill: use {}{}",
            shape.stages, shape.micro_batches, nearest, below + shape.stages);
    });
}

const PipelineScheduleRegistration interleaved_registration({
    .name = "interleaved",
    .summary = "1f1b with several chunks per stage: less idle time, more transfers",
    .takes_chunks = true,
    .stage_passes =
        [](const PipelineShape& shape, int stage) {
            return stage_passes_of({.shape = shape, .warm_up = warm_up(shape, stage)});
        },
    .bubble = [](const PipelineShape& shape, double f, double b,
                 double w) { return idle_share((shape.stages - 1) * (f + b + w), shape, f, b, w); },
    .live = [](const PipelineShape& shape,
               int stage) { return std::min(passes_of(shape), warm_up(shape, stage) + 1); },
    .require = require_rounds,
});

}  // namespace

}  // namespace shardstone::reference
