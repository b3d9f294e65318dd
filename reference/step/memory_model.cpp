// SPDX-License-Identifier: BSD-3-Clause
// Predicts a rank's memory by class: weights, gradients, optimizer state, buffers and activations.
#include "reference/step/memory_model.hpp"

#include <algorithm>

#include "kernels/base/exact_sum.hpp"
#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "reference/model/loss_totals.hpp"
#include "reference/model/memory_formula.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/precision/fp8_scales.hpp"
#include "reference/step/mesh.hpp"
#include "reference/step/schedules/schedule.hpp"

namespace shardstone::reference {

namespace {

using Group = ParameterGroup::Kind;

constexpr std::int64_t block_buffers = 2;

/// Of a group of `count` parameters: whole buckets, and what is left.
std::int64_t owned_of_group(const StepSpec& spec, std::int64_t count, const GroupKind& replicas,
                            const Coordinates& at) {
    const auto bucket = spec.communication.bucket_bytes / static_cast<std::int64_t>(sizeof(float));
    const auto share = [&](std::int64_t elements) {
        return even_share(elements, size_of(spec.plan, replicas), place_of(spec.plan, replicas, at))
            .count;
    };
    return count / bucket * share(bucket) + share(count % bucket);
}

/// Most micro-batches that a chunk has under way at a time.
int slots_of_chunk(const std::vector<StagePass>& stage_passes, int chunk) {
    int live = 0;
    int most = 1;
    for (const StagePass& stage_pass : stage_passes) {
        if (stage_pass.chunk != chunk) continue;
        if (stage_pass.pass == Pass::forward) most = std::max(most, ++live);
        const bool ends =
            stage_pass.pass == Pass::backward || stage_pass.pass == Pass::backward_weight;
        if (ends) --live;
    }
    return most;
}

std::vector<int> slots_of(const StepSpec& spec, int stage) {
    const PipelineSchedule& schedule = find_pipeline_schedule(spec.pipeline.schedule);
    const PipelineShape shape{spec.plan.pipeline, spec.pipeline.chunks, spec.micro_batches()};
    if (shape.chunks == 1) return {static_cast<int>(schedule.live(shape, stage))};
    const std::vector<StagePass> stage_passes = schedule.stage_passes(shape, stage);
    std::vector<int> slots;
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
        slots.push_back(slots_of_chunk(stage_passes, chunk));
    }
    return slots;
}

template <class T>
constexpr std::int64_t bytes_of(std::int64_t count) {
    return count * static_cast<std::int64_t>(sizeof(T));
}

std::int64_t bookkeeping_bytes(const StepSpec& spec, int rank, const MemoryOptions& options) {
    const Precision& precision = spec.precision;
    const ModelPart part = part_of(spec, rank);
    // Losses that count and those that do not; their totals, the norm's squares, the number that is
    // not finite, and how many terms exact sums have lost.
    std::int64_t bytes = bytes_of<LossSums>(2) + bytes_of<LossTotals>(1) +
                         bytes_of<SquareSum::Limbs>(1) + bytes_of<NotFinite>(1) +
                         bytes_of<UpdateFactors>(1) + bytes_of<std::int64_t>(1);
    for (const ModelChunk& chunk : part.chunks) {
        const std::int64_t positions = part.positions(1, spec.batch.sequence);
        if (chunk.embedding) bytes += bytes_of<std::int64_t>(positions);
    }
    // Their amaxes, and on a GPU what their numbers are multiples of.
    const std::int64_t of_fp8 = options.on_gpu ? 2 : 1;
    if (precision.fp8_products) {
        bytes += of_fp8 * bytes_of<float>(Fp8Tensor::count(spec.model.layers));
    }
    if (spec.tensor_norms) {
        bytes += (bytes_of<TensorSquares>(1) + bytes_of<double>(1)) * tensor_count(spec.model);
    }
    const bool widens = precision.storage != Storage::full && !precision.master_weights;
    if (widens) bytes += update_block * options.element_bytes;
    return bytes;
}

}  // namespace

std::int64_t StateClass::size_bytes(const ParameterCounts& counts, const Sharding& sharding) const {
    if (part_of == nullptr || !(sharding.*part_of)) return bytes * counts.all;
    return (in_buffers_only ? 0 : bytes * counts.owned) + buffer_bytes * counts.buffers;
}

std::vector<StateClass> state_classes(const StepSpec& spec, const MemoryOptions& options) {
    const std::int64_t element = options.element_bytes;
    const std::int64_t stored = storage_bytes(spec.precision.storage, element);
    std::vector<StateClass> classes{
        {.name = "weights", .bytes = stored, .part_of = &Sharding::weights, .buffer_bytes = stored},
        {.name = "gradients",
         .bytes = element,
         .part_of = &Sharding::gradients,
         .buffer_bytes = element},
        {.name = "optimizer", .bytes = options.moments * element, .part_of = &Sharding::optimizer}};
    if (spec.precision.master_weights) {
        classes.push_back(
            {.name = "master_weights", .bytes = element, .part_of = &Sharding::optimizer});
    }
    const Storage wire = wire_of_gradients(spec);
    if (wire != Storage::full) {
        const std::int64_t each = storage_bytes(wire, element);
        classes.push_back({.name = "gradient_wire",
                           .bytes = each,
                           .part_of = &Sharding::gradients,
                           .buffer_bytes = each,
                           .in_buffers_only = true});
    }
    if (spec.reproducible) {
        constexpr std::int64_t pair = sizeof(ExactPair);
        classes.push_back({.name = "exact_sums",
                           .bytes = pair,
                           .part_of = &Sharding::gradients,
                           .buffer_bytes = pair});
    }
    return classes;
}

ParameterCounts parameter_counts(const StepSpec& spec, int rank) {
    const ModelPart part = part_of(spec, rank);
    const Coordinates at = coordinates_of(spec.plan, rank);
    ParameterCounts counts;
    for (const Group kind :
         {Group::experts, Group::block, Group::final_norm, Group::position, Group::token}) {
        const bool of_block = kind == Group::experts || kind == Group::block;
        const std::int64_t groups = of_block ? part.layers() : 1;
        const std::int64_t each = expected_parameters(spec.model, part, kind);
        counts.all += groups * each;
        counts.owned += groups * owned_of_group(spec, each, replicas_of(kind), at);
        counts.buffers += std::min(groups, block_buffers) * each;
    }
    return counts;
}

PartShape shape_of(const StepSpec& spec, int rank) {
    const bool exchanges = spec.plan.pipeline * spec.pipeline.chunks > 1;
    return {.micro_batch = spec.batch.micro_batch,
            .sequence = spec.batch.sequence,
            .slots = slots_of(spec, coordinates_of(spec.plan, rank).pipeline),
            .gradient_slots = exchanges ? 2 : 1,
            .recompute = spec.recompute,
            .splits_backward = find_pipeline_schedule(spec.pipeline.schedule).splits_backward,
            .storage = spec.precision.storage,
            .stream = spec.precision.stream,
            .fp8_products = spec.precision.fp8_products};
}

std::vector<PredictedClass> predicted_memory(const StepSpec& spec, int rank,
                                             const MemoryOptions& options) {
    const ParameterCounts counts = parameter_counts(spec, rank);
    std::vector<PredictedClass> classes;
    const Sharding sharding = sharding_of(spec);
    for (const StateClass& state : state_classes(spec, options)) {
        classes.push_back({state.name, state.size_bytes(counts, sharding)});
    }
    const auto activations = options.element_bytes == sizeof(double)
                                 ? expected_activations_bytes<double>
                                 : expected_activations_bytes<float>;
    PartShape shape = shape_of(spec, rank);
    shape.on_gpu = options.on_gpu;
    classes.push_back({"activations", activations(spec.model, part_of(spec, rank), shape)});
    classes.push_back({"bookkeeping", bookkeeping_bytes(spec, rank, options)});
    return classes;
}

std::int64_t total_bytes(const std::vector<PredictedClass>& classes) {
    std::int64_t total = 0;
    for (const PredictedClass& each : classes) total += each.bytes;
    return total;
}

}  // namespace shardstone::reference
