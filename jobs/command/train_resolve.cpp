// SPDX-License-Identifier: BSD-3-Clause
// What the words of a `train` command line mean together.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "benchmarks/training/run/options.hpp"
#include "jobs/command/train_options.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "reference/step/mesh.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::command {

namespace {

using namespace reference;

GptConfig resolve_model(const TrainArguments& arguments) {
    GptConfig model = gpt_preset(arguments.model);
    bool changed = false;
    const auto override_with = [&](const std::optional<std::int64_t>& given, std::int64_t& size) {
        changed |= given.has_value() && *given != size;
        size = given.value_or(size);
    };
    override_with(arguments.layers, model.layers);
    override_with(arguments.heads, model.heads);
    override_with(arguments.channels, model.channels);
    override_with(arguments.vocabulary, model.vocabulary);
    override_with(arguments.context, model.context);
    if (changed) model.name += "-custom";
    model.experts = arguments.experts;
    if (model.experts.any()) model.name += name_of(model.experts);
    model.validate();
    return model;
}

void resolve_optimizer(const TrainArguments& arguments, TrainOptions& options) {
    choose_optimizer(options, parse_optimizer(arguments.optimizer));
    OptimizerOptions& optimizer = options.optimizer;
    optimizer.rate_shape = parse_rate_shape(arguments.rate_shape);
    optimizer.rate_scaling = parse_rate_scaling(arguments.rate_scaling);
    optimizer.least_rate = arguments.least_rate.value_or(0.1 * optimizer.learning_rate);
}

TrainOptions::Overflow parse_overflow(const std::string& text) {
    TrainOptions::Overflow overflow;
    const char* const end = text.data() + text.size();
    const auto [colon, error] = std::from_chars(text.data(), end, overflow.step);
    const bool has_step = error == std::errc{} && colon != end && *colon == ':';
    const auto rest = has_step ? std::from_chars(colon + 1, end, overflow.rank)
                               : std::from_chars_result{colon, std::errc::invalid_argument};
    require(
        rest.ec == std::errc{} && rest.ptr == end && overflow.step > 0 && overflow.rank >= 0, [&] {
            return fmt::format("--inject-overflow '{}': give STEP:RANK, for example 12:0", text);
        });
    return overflow;
}

void resolve_precision(const TrainArguments& arguments, TrainOptions& options) {
    options.precision = find_precision(arguments.precision);
    options.communication.gradient_wire = parse_storage(arguments.gradient_wire);
    const bool full_wire = options.communication.gradient_wire == Storage::full;
    require(full_wire || !options.precision.fp64, [&] {
        return fmt::format("--gradient-wire {} with --precision fp64: gradients are sent in full",
                           arguments.gradient_wire);
    });
    LossScaling& scaling = options.precision.scaling;
    scaling.initial = arguments.loss_scale.value_or(scaling.initial);
    scaling.growth_interval = arguments.scale_growth.value_or(scaling.growth_interval);
    if (arguments.overflow) options.overflow = parse_overflow(*arguments.overflow);
}

void resolve_pace(const TrainArguments& arguments, TrainOptions& options) {
    options.pace = pace_of(arguments.pace, options.plan.ranks());
    if (!options.pace) return;
    options.pace->input_s = 1e-3 * arguments.pace_input_ms.value_or(0.0);
    for (const char* flag : {"--eval-every", "--eval-sequences"}) {
        require(!arguments.given.contains(flag), [&] {
            return fmt::format(
                "--pace with {}: nothing is computed that could be evaluated; omit "
                "one",
                flag);
        });
    }
    options.eval_sequences = 0;
}

std::int64_t micro_batch_of(const TrainArguments& arguments, const TrainOptions& options) {
    const std::int64_t share = options.batch.global_batch / batch_shares(options.plan);
    if (arguments.micro_batches) {
        const std::int64_t count = *arguments.micro_batches;
        require(count > 0 && share % count == 0, [&] {
            return fmt::format("--micro-batches {} does not divide the {} sequences of a replica",
                               count, share);
        });
        return share / count;
    }
    const bool one_by_one = options.reproducible || options.plan.pipeline > 1;
    return arguments.micro_batch.value_or(one_by_one ? 1 : std::max<std::int64_t>(1, share));
}

}  // namespace

TrainOptions resolve(const TrainArguments& arguments, int ranks) {
    TrainOptions options = arguments.options;
    options.model = resolve_model(arguments);
    options.plan = parse_plan(arguments.plan.value_or(fmt::format("dp={}", ranks)));
    options.batch.sequence = arguments.sequence.value_or(options.model.context);
    options.batch.micro_batch = micro_batch_of(arguments, options);
    options.recompute = parse_recompute(arguments.recompute);
    resolve_precision(arguments, options);
    resolve_optimizer(arguments, options);
    options.communication.bucket_bytes =
        arguments.bucket_size ? parse_size_bytes(*arguments.bucket_size)
                              : default_bucket_bytes(options.model.parameter_count());
    options.communication.overlap = !arguments.no_overlap;
    options.device = parse_device(arguments.device);
    resolve_pace(arguments, options);
    for (const auto& [flag, word] : arguments.given) {
        benchmarks::require_meaning(flag, word, options);
    }
    return options;
}

}  // namespace shardstone::command
