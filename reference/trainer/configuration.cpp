// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <initializer_list>

#include "reference/trainer/record.hpp"

namespace shardstone::reference {

namespace {

using nlohmann::json;

/// What is not in force is null: it is known, and means nothing to this run.
template <class Value>
json when(bool in_force, const Value& value) {
    return in_force ? json(value) : json();
}

bool is_one_of(OptimizerKind kind, std::initializer_list<OptimizerKind> kinds) {
    return std::ranges::find(kinds, kind) != kinds.end();
}

json plan_json(const TrainOptions& options) {
    const bool staged = options.plan.pipeline > 1;
    const bool replicated = options.plan.data > 1;
    const CommunicationOptions& communication = options.communication;
    const bool reduces = replicated || options.plan.tensor > 1 || staged;
    return {{"plan", to_string(options.plan)},
            {"schedule", when(staged, options.pipeline.schedule)},
            {"chunks", when(staged, options.pipeline.chunks)},
            {"stage_layers", when(!options.pipeline.layers.empty(), options.pipeline.layers)},
            {"scatter_gather", when(staged, options.pipeline.scatter_gather)},
            {"recompute", to_string(options.recompute)},
            {"reproducible", options.reproducible},
            {"all_reduce", when(reduces, communication.all_reduce)},
            {"bucket_bytes", when(replicated, communication.bucket_bytes)},
            {"overlap", when(replicated, communication.overlap)},
            {"gradient_wire", when(replicated, to_string(communication.gradient_wire))}};
}

json precision_json(const TrainOptions& options) {
    const LossScaling& scaling = options.precision.scaling;
    const bool injects = options.overflow.step > 0;
    return {
        {"precision", options.precision.name},
        {"loss_scale", when(scaling.kind != LossScaling::Kind::none, scaling.initial)},
        {"scale_growth", when(scaling.kind == LossScaling::Kind::dynamic, scaling.growth_interval)},
        {"overflow_step", when(injects, options.overflow.step)},
        {"overflow_rank", when(injects, options.overflow.rank)}};
}

json optimizer_json(const TrainOptions& options) {
    using Kind = OptimizerKind;
    const OptimizerOptions& optimizer = options.optimizer;
    const Kind kind = optimizer.kind;
    const bool betas = is_one_of(kind, {Kind::adamw, Kind::lamb});
    const bool falls = optimizer.rate_shape == LearningRate::Shape::cosine;
    return {{"optimizer", to_string(kind)},
            {"learning_rate", optimizer.learning_rate},
            {"least_rate", when(falls, optimizer.least_rate)},
            {"warmup_steps", optimizer.warmup_steps},
            {"rate_shape", to_string(optimizer.rate_shape)},
            {"rate_scaling", to_string(optimizer.rate_scaling)},
            {"base_batch", when(optimizer.rate_scaling != RateScaling::none, optimizer.base_batch)},
            {"peak_rate", learning_rate_of(options).peak},
            {"weight_decay", optimizer.weight_decay},
            {"beta1", when(betas, optimizer.beta1)},
            {"beta2", when(betas, optimizer.beta2)},
            {"momentum", when(is_one_of(kind, {Kind::momentum, Kind::nesterov, Kind::lars}),
                              optimizer.momentum)},
            {"trust", when(kind == Kind::lars, optimizer.trust)},
            {"clip", when(optimizer.clip > 0.0, optimizer.clip)}};
}

json steps_json(const TrainOptions& options) {
    const bool evaluates = options.eval_sequences > 0;
    return {{"global_batch", options.batch.global_batch},
            {"micro_batch", options.batch.micro_batch},
            {"sequence", options.batch.sequence},
            {"shortest", when(options.batch.shortest > 0, options.batch.shortest)},
            {"steps", options.steps},
            {"seed", options.seed},
            {"eval_every", when(evaluates && options.eval_every > 0, options.eval_every)},
            {"eval_sequences", when(evaluates, options.eval_sequences)},
            {"frozen", when(!options.frozen.empty(), options.frozen)}};
}

}  // namespace

nlohmann::json to_json(const GptConfig& model) {
    return {{"model", model.name},
            {"vocabulary", model.vocabulary},
            {"context", model.context},
            {"layers", model.layers},
            {"heads", model.heads},
            {"channels", model.channels},
            {"parameters", model.parameter_count()}};
}

nlohmann::json to_json(const TrainOptions& options) {
    json all = to_json(options.model);
    for (const json& part : {plan_json(options), precision_json(options), optimizer_json(options),
                             steps_json(options)}) {
        all.update(part);
    }
    return all;
}

nlohmann::json to_json(const Dataset& dataset) {
    return {{"source", dataset.source()},
            {"hash", dataset.hash()},
            {"vocabulary", dataset.vocabulary()},
            {"train_tokens", token_count(dataset.train())},
            {"held_out_tokens", token_count(dataset.validation())}};
}

}  // namespace shardstone::reference
