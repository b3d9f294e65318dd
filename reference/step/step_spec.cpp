// SPDX-License-Identifier: BSD-3-Clause
// Which layers of the model a rank holds, and which combinations of options make a valid step.
#include "reference/step/step_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "collectives/operation/algorithm.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "reference/model/attention.hpp"
#include "reference/step/mesh.hpp"
#include "reference/step/schedules/schedule.hpp"
#include "reference/step/strategy.hpp"
#include "reference/step/strategy_choice.hpp"

namespace shardstone::reference {

namespace {

int parts_of(const StepSpec& spec) {
    return spec.pipeline.chunks * spec.plan.pipeline;
}

/// Layers of part `number`, counted over the model.
EvenShare layers_of(const StepSpec& spec, int number) {
    const auto& layers = spec.pipeline.layers;
    if (layers.empty()) return even_share(spec.model.layers, parts_of(spec), number);
    const auto at = static_cast<std::size_t>(number);
    const auto before = layers.begin() + static_cast<std::ptrdiff_t>(at);
    return {std::accumulate(layers.begin(), before, std::int64_t{0}), layers[at]};
}

void validate_layers(const StepSpec& spec) {
    const auto& layers = spec.pipeline.layers;
    const int stages = spec.plan.pipeline, chunks = spec.pipeline.chunks;
    require(spec.model.layers >= parts_of(spec), [&] {
        const std::int64_t per_stage = spec.model.layers / stages;
        return fmt::format(
            "{} layers do not fill {} stages of {} (plan {}): use {}, or --layers {}",
            spec.model.layers, stages, counted(chunks, "chunk"), to_string(spec.plan),
            per_stage > 0 ? fmt::format("--chunks {}", per_stage)
                          : fmt::format("at most pp={}{}", spec.model.layers,
                                        chunks > 1 ? " with --chunks 1" : ""),
            parts_of(spec));
    });
    if (layers.empty()) return;
    const bool positive = std::ranges::all_of(layers, [](std::int64_t n) { return n > 0; });
    const auto total = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
    require(positive && total == spec.model.layers && std::ssize(layers) == parts_of(spec), [&] {
        return fmt::format(
            "--stage-layers {}: give {} positive numbers (stages times chunks) that add up to the "
            "{} layers of model '{}'",
            fmt::join(layers, ","), parts_of(spec), spec.model.layers, spec.model.name);
    });
}

void validate_schedule(const StepSpec& spec) {
    const PipelineSchedule& schedule = find_pipeline_schedule(spec.pipeline.schedule);
    const int chunks = spec.pipeline.chunks;
    require(chunks >= 1 && (chunks == 1 || schedule.takes_chunks), [&] {
        return fmt::format("--chunks {} with --schedule {}: it takes 1 (more: interleaved)", chunks,
                           schedule.name);
    });
    require(chunks <= spec.model.layers, [&] {
        return fmt::format("--chunks {}: model '{}' has only {} layers", chunks, spec.model.name,
                           spec.model.layers);
    });
    require(chunks == 1 || spec.plan.pipeline > 1, [&] {
        return fmt::format(
            "--chunks {} with one stage (plan {}): chunks alternate between stages; use pp=2 or "
            "more, or --chunks 1",
            chunks, to_string(spec.plan));
    });
    require_shape(schedule, {spec.plan.pipeline, chunks, spec.micro_batches()});
}

}  // namespace

ModelPart part_of(const StepSpec& spec, int rank) {
    const Coordinates at = coordinates_of(spec.plan, rank);
    ModelPart part;
    for (int chunk = 0; chunk < spec.pipeline.chunks; ++chunk) {
        const int number = chunk * spec.plan.pipeline + at.pipeline;
        const EvenShare layers = layers_of(spec, number);
        part.chunks.push_back({.first_layer = layers.first,
                               .layers = layers.count,
                               .embedding = number == 0,
                               .head = number == parts_of(spec) - 1});
    }
    part.tensor_rank = at.tensor;
    part.tensor_ranks = spec.plan.tensor;
    part.sequence_parallel = spec.plan.sequence == 1;
    part.embedding_is_shared = spec.plan.pipeline > 1;
    for (const StrategyEntry& strategy : strategies()) {
        if (strategy.applies(spec)) strategy.shape_part(spec, at, part);
    }
    return part;
}

std::int64_t least_positions(const StepSpec& spec) {
    return part_of(spec, spec.plan.ranks() - 1)
        .positions(spec.batch.micro_batch, spec.batch.sequence);
}

PhaseShape phase_shape(const StepSpec& spec, const ModelPart& part) {
    return phase_shape(spec.model, part, spec.batch.micro_batch, spec.batch.sequence,
                       spec.recompute);
}

std::int64_t StepSpec::micro_batches() const {
    return batch.global_batch / batch_shares(plan) / batch.micro_batch;
}

Storage wire_of_gradients(const StepSpec& spec) {
    return replicas(spec.plan) > 1 ? spec.communication.gradient_wire : Storage::full;
}

void validate(const StepSpec& spec) {
    spec.model.validate();
    require_divides(spec.batch, spec.plan);
    validate_schedule(spec);
    validate_layers(spec);
    const std::int64_t bucket = spec.communication.bucket_bytes;
    require(bucket >= static_cast<std::int64_t>(sizeof(float)), [&] {
        return fmt::format("--bucket-size {} does not hold one gradient of 4 bytes", bucket);
    });
    collectives::find_algorithm("all_reduce", spec.communication.all_reduce);
    require(!spec.reproducible || spec.communication.gradient_wire == Storage::full, [&] {
        return fmt::format(
            "--gradient-wire {} rounds sums, --reproducible keeps them exact: omit one of them",
            to_string(spec.communication.gradient_wire));
    });
    require_known_choices(spec);
    for (const StrategyEntry& strategy : strategies()) strategy.require(spec);
}

}  // namespace shardstone::reference
