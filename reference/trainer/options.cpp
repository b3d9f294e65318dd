// SPDX-License-Identifier: BSD-3-Clause
// Options of a training are checked before it begins; the learning rate follows from them.
#include "reference/trainer/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collectives/operation/algorithm.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/exact_sum.hpp"
#include "reference/data/sampler.hpp"
#include "reference/model/parameter_layout.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::reference {

namespace {

/// Contributions of every sequence or micro-batch to a sum over all ranks.
std::int64_t sharing_ranks(const TrainOptions& options) {
    return replicas(options.plan) / batch_shares(options.plan);
}

void validate_optimizer(const OptimizerOptions& optimizer) {
    const auto in_unit = [](double beta) { return beta >= 0.0 && beta < 1.0; };
    require(in_unit(optimizer.beta1) && in_unit(optimizer.beta2) && in_unit(optimizer.momentum),
            [&] {
                return fmt::format(
                    "--beta1 {}, --beta2 {} and --momentum {} must be at least 0 and below 1",
                    optimizer.beta1, optimizer.beta2, optimizer.momentum);
            });
    require(optimizer.trust > 0.0 && std::isfinite(optimizer.trust),
            [&] { return fmt::format("--trust {} must be positive", optimizer.trust); });
    require(optimizer.weight_decay >= 0.0 && optimizer.clip >= 0.0, [&] {
        return fmt::format("--weight-decay {} and --clip {} must not be negative",
                           optimizer.weight_decay, optimizer.clip);
    });
}

void validate_rate(const TrainOptions& options) {
    const OptimizerOptions& optimizer = options.optimizer;
    const bool scales = optimizer.rate_scaling != RateScaling::none;
    require(scales ? optimizer.base_batch > 0 : optimizer.base_batch == 0, [&] {
        return fmt::format(
            "--scale-rate {} with --base-batch {}: say how many sequences --lr was found for, with "
            "--scale-rate linear or sqrt",
            to_string(optimizer.rate_scaling), optimizer.base_batch);
    });
    learning_rate_of(options).validate();
}

void validate_precision(const TrainOptions& options) {
    const LossScaling& scaling = options.precision.scaling;
    int exponent = 0;
    const bool power_of_two = std::frexp(scaling.initial, &exponent) == 0.5;
    require(power_of_two && scaling.initial <= scaling.largest, [&] {
        return fmt::format("--loss-scale {} must be a power of two, {} at most", scaling.initial,
                           scaling.largest);
    });
    require(scaling.growth_interval > 0, [&] {
        return fmt::format("--scale-growth {} must be positive", scaling.growth_interval);
    });
}

void validate_data(const TrainOptions& options, const Dataset& dataset) {
    const GptConfig& model = options.model;
    require(options.batch.sequence <= model.context, [&] {
        return fmt::format("--sequence {} is longer than the context of {} of model '{}'",
                           options.batch.sequence, model.context, model.name);
    });
    require(dataset.vocabulary() <= model.vocabulary, [&] {
        return fmt::format(
            "the data has a vocabulary of {}, model '{}' one of {}: use "
            "--vocabulary {}",
            dataset.vocabulary(), model.name, model.vocabulary, dataset.vocabulary());
    });
    Sampler(dataset.train(), options.batch.sequence, options.seed);
}

void validate_frozen(const TrainOptions& options) {
    if (options.frozen.empty()) return;
    const ParameterLayout layout(options.model);
    for (const std::string& name : options.frozen) {
        const bool known = std::ranges::any_of(
            layout.parameters(), [&](const auto& tensor) { return tensor.name.starts_with(name); });
        require(known && !name.empty(), [&] {
            return fmt::format(
                "--freeze {}: model '{}' has no tensor whose name begins so; write "
                "for example blocks.0 or token_embedding",
                name, options.model.name);
        });
    }
}

/// What asks for numbers gets none.
void validate_pace(const TrainOptions& options) {
    if (!options.pace) return;
    const ExpertOptions& experts = options.model.experts;
    require(!experts.any() || experts.capacity > 0.0, [&] {
        return fmt::format(
            "--pace with --experts {}: what is sent depends on the router's choices, "
            "and nothing is routed: add --capacity",
            experts.count);
    });
    require(!options.reproducible,
            "--pace with --reproducible: nothing is computed that could be reproduced; omit one");
    require(options.overflow.step == 0,
            "--pace with --inject-overflow: nothing is computed that could overflow; omit one");
    require(
        !options.precision.fp64,
        "--pace with --precision fp64: the pace is that of devices for training; choose fp32 or "
        "a narrower precision");
}

/// Of schedules NCCL sends the messages. Whatever else takes its data where the host has them would
/// be given addresses of a GPU, and the host, which only enqueues a step, would not drive it.
bool works_between_gpus(const std::string& all_reduce) {
    const auto algorithm = collectives::find_algorithm("all_reduce", all_reduce);
    return algorithm.has_plain_messages() || algorithm.in_stream;
}

void validate_device(const TrainOptions& options) {
    if (options.device == DeviceKind::cpu) {
        require(!options.graphs, "--graphs: cores have none; add --device cuda or omit it");
        require(!options.tf32, "--tf32: cores have no such products; add --device cuda or omit it");
        const std::string& name = options.communication.all_reduce;
        require(!collectives::find_algorithm("all_reduce", name).obstacle, [&] {
            return fmt::format(
                "--all-reduce {}: it sums in memory of GPUs: {}", name,
                works_between_gpus(name) ? "add --device cuda" : "give one of cores, such as ring");
        });
        return;
    }
    require(!options.tf32 || options.precision.storage == Storage::full, [&] {
        return fmt::format(
            "--tf32 with --precision {}: no product of it has FP32 factors; choose fp32 or omit "
            "--tf32",
            options.precision.name);
    });
    require(!options.graphs || may_use_graphs(options), [&] {
        return fmt::format(
            "--graphs with --experts {}: how many rows an expert gets is known only in the middle "
            "of a step; omit --graphs",
            options.model.experts.count);
    });
    require(!options.precision.fp64,
            "--device cuda with --precision fp64: the kernels for GPUs compute in FP32; choose "
            "fp32 or a narrower precision");
    const std::string& all_reduce = options.communication.all_reduce;
    require(works_between_gpus(all_reduce), [&] {
        return fmt::format(
            "--device cuda with --all-reduce {}: in a step's streams messages go through NCCL "
            "only; "
            "choose nccl, its own, or the schedule that it shall run, such as ring",
            all_reduce);
    });
    require(!options.pace,
            "--device cuda with --pace: where a pace is given nothing is computed; omit one");
}

/// A fault that never occurs would pass for one survived.
void validate_overflow(const TrainOptions& options, int ranks) {
    const auto [step, rank] = options.overflow;
    if (step == 0) return;
    const std::string asked = fmt::format("--inject-overflow {}:{}", step, rank);
    require(step <= options.steps,
            [&] { return fmt::format("{}: there are {} steps", asked, options.steps); });
    require(rank < ranks,
            [&] { return fmt::format("{}: there are ranks 0 to {}", asked, ranks - 1); });
    const ParameterLayout layout(options.model, part_of(options, rank));
    require(!places_to_overflow(options, layout).empty(), [&] {
        return fmt::format(
            "{}: --freeze leaves this rank no gradient that could overflow alone: freeze less or "
            "name another rank",
            asked);
    });
}

}  // namespace

bool may_use_graphs(const TrainOptions& options) {
    return !options.model.experts.any();
}

bool is_frozen(const TrainOptions& options, const ParameterInfo& tensor) {
    return std::ranges::any_of(
        options.frozen, [&](const std::string& name) { return tensor.name.starts_with(name); });
}

std::vector<std::int64_t> places_to_overflow(const TrainOptions& options,
                                             const ParameterLayout& layout) {
    std::vector<std::int64_t> places;
    for (const ParameterGroup& group : layout.groups()) {
        const auto can = [&](const ParameterInfo& tensor) {
            const bool in_group = group.first <= tensor.offset && tensor.offset < group.end();
            return in_group && tensor.count > 0 && !tensor.replicated &&
                   !is_frozen(options, tensor);
        };
        const auto tensor = std::ranges::find_if(layout.parameters(), can);
        if (tensor != layout.parameters().end()) places.push_back(tensor->offset);
    }
    return places;
}

std::string to_string(DeviceKind kind) {
    return kind == DeviceKind::cuda ? "cuda" : "cpu";
}

DeviceKind parse_device(const std::string& name) {
    for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
        if (name == to_string(kind)) return kind;
    }
    fail(fmt::format("--device '{}': give cpu or cuda", name));
}

std::string Pace::words() const {
    const std::string slow =
        slow_factor == 1.0
            ? ""
            : fmt::format(", rank {} takes {:.4g} times as long", slow_rank, slow_factor);
    return fmt::format(
        "{:.4g} GFLOP/s and {:.4g} GB/s of memory on each rank{}, computations take only time",
        flop_per_s * 1e-9, memory_bytes_per_s * 1e-9, slow);
}

MemoryOptions memory_options(const OptimizerOptions& optimizer, std::int64_t element_bytes) {
    return {.moments = traits_of(optimizer.kind).moments, .element_bytes = element_bytes};
}

MemoryOptions memory_options(const TrainOptions& options) {
    MemoryOptions memory = memory_options(options.optimizer, options.precision.element_bytes());
    memory.on_gpu = options.device == DeviceKind::cuda;
    return memory;
}

void choose_optimizer(TrainOptions& options, OptimizerKind kind) {
    options.optimizer.kind = kind;
    options.tensor_norms = traits_of(kind).adapts;
}

LearningRate learning_rate_of(const TrainOptions& options) {
    const OptimizerOptions& optimizer = options.optimizer;
    const double factor =
        rate_factor(optimizer.rate_scaling, options.batch.global_batch, optimizer.base_batch);
    return {factor * optimizer.learning_rate, factor * optimizer.least_rate,
            std::min(optimizer.warmup_steps, options.steps), options.steps, optimizer.rate_shape};
}

std::int64_t terms_of(const TrainOptions& options) {
    return sharing_ranks(options) *
           std::max(2 * options.batch.global_micro_batches(), options.eval_sequences);
}

void validate(const TrainOptions& options, int ranks, const Dataset& dataset) {
    require_fits(options.plan, ranks);
    validate(static_cast<const StepSpec&>(options));
    constexpr std::int64_t most_steps = 1'000'000'000;
    require(options.steps <= most_steps,
            [&] { return fmt::format("--steps {}: give {} at most", options.steps, most_steps); });
    require(options.steps > 0,
            [&] { return fmt::format("--steps {}: give at least 1", options.steps); });
    require(options.eval_every >= 0 && options.eval_sequences >= 0, [&] {
        return fmt::format("--eval-every {} and --eval-sequences {}: neither may be negative",
                           options.eval_every, options.eval_sequences);
    });
    const std::int64_t most_sequences = most_exact_terms / sharing_ranks(options);
    require(options.eval_sequences <= most_sequences, [&] {
        return fmt::format("--eval-sequences {}: give {} at most", options.eval_sequences,
                           most_sequences);
    });
    validate_precision(options);
    validate_pace(options);
    validate_device(options);
    validate_data(options, dataset);
    validate_optimizer(options.optimizer);
    SHARDSTONE_EXPECTS(options.tensor_norms == traits_of(options.optimizer.kind).adapts);
    validate_rate(options);
    exact_term_limit(terms_of(options));
    validate_frozen(options);
    validate_overflow(options, ranks);
}

}  // namespace shardstone::reference
