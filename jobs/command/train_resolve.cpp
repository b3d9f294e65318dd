// SPDX-License-Identifier: BSD-3-Clause
// What the words of a `train` command line mean together.
#include <fmt/format.h>

#include <algorithm>

#include "jobs/command/train_options.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
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
    model.validate();
    return model;
}

/// What was given on the command line, if the optimizer knows what to do with it.
void set_if_given(const std::optional<double>& given, double& value, const char* name,
                  OptimizerKind kind, std::initializer_list<OptimizerKind> users) {
    require(!given || std::ranges::find(users, kind) != users.end(), [&] {
        return fmt::format("{} {} means nothing to --optimizer {}: leave it out", name, *given,
                           to_string(kind));
    });
    value = given.value_or(value);
}

void resolve_optimizer(const TrainArguments& arguments, TrainOptions& options) {
    using Kind = OptimizerKind;
    const Kind kind = parse_optimizer(arguments.optimizer);
    choose_optimizer(options, kind);
    OptimizerOptions& optimizer = options.optimizer;
    set_if_given(arguments.beta1, optimizer.beta1, "--beta1", kind, {Kind::adamw, Kind::lamb});
    set_if_given(arguments.beta2, optimizer.beta2, "--beta2", kind, {Kind::adamw, Kind::lamb});
    set_if_given(arguments.momentum, optimizer.momentum, "--momentum", kind,
                 {Kind::momentum, Kind::nesterov, Kind::lars});
    set_if_given(arguments.trust, optimizer.trust, "--trust", kind, {Kind::lars});
    optimizer.rate_shape = parse_rate_shape(arguments.rate_shape);
    optimizer.rate_scaling = parse_rate_scaling(arguments.rate_scaling);
    const bool ends_lower = optimizer.rate_shape == LearningRate::Shape::cosine;
    require(ends_lower || !arguments.least_rate, [&] {
        return fmt::format("--min-lr {} with --lr-shape constant: leave it out",
                           *arguments.least_rate);
    });
    optimizer.least_rate = arguments.least_rate.value_or(0.1 * optimizer.learning_rate);
}

std::int64_t micro_batch_of(const TrainArguments& arguments, const TrainOptions& options) {
    const std::int64_t share = options.batch.global_batch / options.plan.data;
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
    resolve_precision(arguments.precision, options);
    resolve_optimizer(arguments, options);
    options.communication.bucket_bytes =
        arguments.bucket_size ? parse_size_bytes(*arguments.bucket_size)
                              : default_bucket_bytes(options.model.parameter_count());
    options.communication.overlap = !arguments.no_overlap;
    return options;
}

}  // namespace shardstone::command
