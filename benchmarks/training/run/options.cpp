// SPDX-License-Identifier: BSD-3-Clause
// The table of a training's options. A new one is a row here, and a binding where a command takes
// it (jobs/command/train_options.cpp).
#include "benchmarks/training/run/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "benchmarks/training/run/device_options.hpp"
#include "kernels/base/error.hpp"
#include "reference/step/mesh.hpp"
#include "reference/step/schedules/schedule.hpp"
#include "reference/step/strategy_choice.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace reference;
using nlohmann::json;
using Options = const TrainOptions&;

/// Null where it is not in force.
template <class Value>
json when(bool in_force, const Value& value) {
    return in_force ? json(value) : json();
}

template <class Row>
std::string names_of(const std::vector<Row>& rows) {
    std::string names;
    for (const Row& row : rows) names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

bool routes(Options o) {
    return o.model.experts.any();
}

std::vector<TrainOption> model_options() {
    const std::string routing = "--experts 2 or more";
    const std::string group = "Model (a preset, of which any size can be overridden)";
    return {
        {"--model", group, names_of(gpt_presets()), "model",
         [](Options o) { return o.model.name; }},
        {"--layers", group, "transformer blocks", "layers",
         [](Options o) { return o.model.layers; }},
        {"--heads", group, "attention heads", "heads", [](Options o) { return o.model.heads; }},
        {"--channels", group, "width, a multiple of the heads", "channels",
         [](Options o) { return o.model.channels; }},
        {"--vocabulary", group, "size of the vocabulary in tokens", "vocabulary",
         [](Options o) { return o.model.vocabulary; }},
        {"--context", group, "longest sequence in tokens", "context",
         [](Options o) { return o.model.context; }},
        {"--experts", group,
         "MLPs per block, of which a router picks --top-k for each position; 1: plain MLP",
         "experts", [](Options o) { return o.model.experts.count; }},
        {"--top-k", group, "experts per position", "top_k",
         [](Options o) { return when(routes(o), o.model.experts.top_k); }, routing},
        {"--capacity", group,
         "capacity factor: of each sequence an expert takes at most this factor times an even "
         "share, and drops the rest; 0: drops nothing",
         "capacity", [](Options o) { return when(routes(o), o.model.experts.capacity); }, routing},
        {"--balance-loss", group, "weight of the load-balancing loss of the experts",
         "balance_loss", [](Options o) { return when(routes(o), o.model.experts.balance); },
         routing},
        {"--router-z-loss", group, "weight of the z-loss, which keeps the router's logits small",
         "router_z_loss", [](Options o) { return when(routes(o), o.model.experts.z); }, routing},
    };
}

std::vector<TrainOption> batch_options() {
    const std::string group = "Data and batch";
    return {
        {"--global-batch", group, "sequences per step, over all ranks", "global_batch",
         [](Options o) { return o.batch.global_batch; }},
        {"--micro-batch", group,
         "sequences per forward and backward pass (default: a rank's whole share; 1 with "
         "--reproducible or several stages)",
         "micro_batch", [](Options o) { return o.batch.micro_batch; }},
        {"--micro-batches", group, "number of micro-batches per replica, instead of their size",
         "micro_batches", [](Options o) { return o.micro_batches(); }},
        {"--shortest", group,
         "draw lengths from this one to --sequence, and pad; 0: all sequences full", "shortest",
         [](Options o) { return when(o.batch.shortest > 0, o.batch.shortest); }},
        {"--sequence", group, "tokens per sequence (default: the model's context)", "sequence",
         [](Options o) { return o.batch.sequence; }},
        {"--steps", group, "optimizer steps", "steps", [](Options o) { return o.steps; }},
        {"--seed", group, "seed of weights and sequences", "seed",
         [](Options o) { return o.seed; }},
        {"--eval-every", group, "steps between evaluations on held-out data (0: only at the end)",
         "eval_every",
         [](Options o) { return when(o.eval_sequences > 0 && o.eval_every > 0, o.eval_every); }},
        {"--eval-sequences", group, "most sequences per evaluation", "eval_sequences",
         [](Options o) { return when(o.eval_sequences > 0, o.eval_sequences); }},
    };
}

std::vector<TrainOption> plan_options() {
    const std::string group = "Plan: how the model is split";
    const auto staged = [](Options o) { return o.plan.pipeline > 1; };
    return {
        {"--plan", group,
         "axes and their sizes, e.g. dp=2,ep=2,tp=2,cp=2,pp=2,zero=1,sp=1: replicas, replicas "
         "that share the experts, tensor ranks, context ranks, pipeline stages, ZeRO stage, "
         "sequence parallelism (default: dp=<ranks>)",
         "plan", [](Options o) { return to_string(o.plan); }},
        {"--schedule", group, "pipeline schedule: " + names_of(pipeline_schedules()), "schedule",
         [=](Options o) { return when(staged(o), o.pipeline.schedule); }},
        {"--chunks", group, "model chunks per stage, for --schedule interleaved", "chunks",
         [=](Options o) { return when(staged(o), o.pipeline.chunks); }},
        {"--stage-layers", group,
         "layers of each chunk in model order, e.g. 3,2,2,1 (default: even)", "stage_layers",
         [](Options o) { return when(!o.pipeline.layers.empty(), o.pipeline.layers); }},
        {"--scatter-gather", group,
         "each tensor rank sends its share of the rows to the next stage, which gathers them: for "
         "stages joined by a slower network than tensor ranks",
         "scatter_gather", [=](Options o) { return when(staged(o), o.pipeline.scatter_gather); }},
        {"--recompute", group, "activations to recompute: none, selective (attention), full",
         "recompute", [](Options o) { return to_string(o.recompute); }},
        {"--freeze", group, "tensors to freeze, by the beginnings of their names", "frozen",
         [](Options o) { return when(!o.frozen.empty(), o.frozen); }},
    };
}

/// A row for each choice that strategies leave.
std::vector<TrainOption> choice_options() {
    std::vector<TrainOption> rows;
    for (const StrategyChoice& choice : strategy_choices()) {
        std::string key = choice.name;
        std::ranges::replace(key, '-', '_');
        const auto value = [&choice](Options o) {
            return when(choice.applies(o), choice_of(o, choice.name));
        };
        rows.push_back({"--" + choice.name, "Plan: how the model is split",
                        fmt::format("{}: {}", choice.text, fmt::join(choice.words, ", ")), key,
                        value, choice.needs});
    }
    return rows;
}

std::vector<TrainOption> precision_options() {
    const std::string group = "Precision";
    using Kind = LossScaling::Kind;
    const auto scaling = [](Options o) { return o.precision.scaling; };
    return {
        {"--precision", group, precision_names(), "precision",
         [](Options o) { return o.precision.name; }},
        {"--gradient-wire", group,
         "type in which gradients are sent between replicas: full, bf16, fp16", "gradient_wire",
         [](Options o) {
             return when(replicas(o.plan) > 1, to_string(o.communication.gradient_wire));
         }},
        {"--loss-scale", group,
         "fp16: the loss scale, a power of two; its initial value if dynamic", "loss_scale",
         [=](Options o) { return when(scaling(o).kind != Kind::none, scaling(o).initial); },
         "a --precision that scales the loss (fp16, fp16-static)"},
        {"--scale-growth", group,
         "fp16: steps without overflow before the scale doubles (default: 200)", "scale_growth",
         [=](Options o) {
             return when(scaling(o).kind == Kind::dynamic, scaling(o).growth_interval);
         },
         "--precision fp16, whose scale grows"},
        {"--inject-overflow", group,
         "STEP:RANK at which to inject an infinite gradient, to test recovery from overflow",
         "inject_overflow",
         [](Options o) {
             return when(o.overflow.step > 0,
                         fmt::format("{}:{}", o.overflow.step, o.overflow.rank));
         }},
    };
}

/// An option of some optimizers only.
TrainOption of_optimizers(TrainOption option, const std::vector<OptimizerKind>& kinds) {
    std::string names;
    for (const OptimizerKind kind : kinds) names += (names.empty() ? "" : ", ") + to_string(kind);
    option.text = fmt::format("{}: {}", names, option.text);
    option.needs = "--optimizer " + names;
    option.value = [kinds, value = option.value](Options o) {
        const bool uses = std::ranges::find(kinds, o.optimizer.kind) != kinds.end();
        return uses ? value(o) : json();
    };
    return option;
}

std::vector<TrainOption> optimizer_options() {
    const std::string group = "Optimizer";
    using Kind = OptimizerKind;
    const auto scales = [](Options o) { return o.optimizer.rate_scaling != RateScaling::none; };
    const auto falls = [](Options o) {
        return o.optimizer.rate_shape == LearningRate::Shape::cosine;
    };
    return {
        {"--optimizer", group, optimizer_names(), "optimizer",
         [](Options o) { return to_string(o.optimizer.kind); }},
        {"--lr", group, "learning rate after the warm-up", "learning_rate",
         [](Options o) { return o.optimizer.learning_rate; }},
        {"--lr-shape", group, "shape of the learning rate after the warm-up: cosine, constant",
         "rate_shape", [](Options o) { return to_string(o.optimizer.rate_shape); }},
        {"--min-lr", group, "learning rate at the end of the cosine (default: a tenth of --lr)",
         "least_rate", [=](Options o) { return when(falls(o), o.optimizer.least_rate); },
         "--lr-shape cosine"},
        {"--scale-rate", group,
         "scaling of the learning rates with --global-batch / --base-batch: linear, sqrt, none",
         "rate_scaling", [](Options o) { return to_string(o.optimizer.rate_scaling); }},
        {"--base-batch", group, "global batch for which --lr was tuned", "base_batch",
         [=](Options o) { return when(scales(o), o.optimizer.base_batch); }},
        {"--warmup", group, "steps of linear warm-up, at most --steps", "warmup_steps",
         [](Options o) { return o.optimizer.warmup_steps; }},
        {"--weight-decay", group, "weight decay of matrices", "weight_decay",
         [](Options o) { return o.optimizer.weight_decay; }},
        of_optimizers({"--beta1", group, "decay of the first moment", "beta1",
                       [](Options o) { return o.optimizer.beta1; }},
                      {Kind::adamw, Kind::lamb}),
        of_optimizers({"--beta2", group, "decay of the second moment", "beta2",
                       [](Options o) { return o.optimizer.beta2; }},
                      {Kind::adamw, Kind::lamb}),
        of_optimizers({"--momentum", group, "momentum coefficient", "momentum",
                       [](Options o) { return o.optimizer.momentum; }},
                      {Kind::momentum, Kind::nesterov, Kind::lars}),
        of_optimizers(
            {"--trust", group, "trust coefficient: a tensor's step as a share of its norm", "trust",
             [](Options o) { return o.optimizer.trust; }},
            {Kind::lars}),
        {"--clip", group, "clip the global gradient norm at this value (0: no clipping)", "clip",
         [](Options o) { return when(o.optimizer.clip > 0.0, o.optimizer.clip); }},
    };
}

std::vector<TrainOption> communication_options() {
    const std::string group = "Communication and numbers";
    const auto replicated = [](Options o) { return replicas(o.plan) > 1; };
    return {
        {"--all-reduce", group,
         "all-reduce algorithm for the gradients ('shardstone collectives --list')", "all_reduce",
         [](Options o) { return when(o.plan.ranks() > 1, o.communication.all_reduce); }},
        {"--bucket-size", group,
         "gradient bytes per reduction, counted in FP32, e.g. 4M (default: an eighth of the "
         "parameters, from 256K to 25M)",
         "bucket_bytes",
         [=](Options o) { return when(replicated(o), o.communication.bucket_bytes); }},
        {"--no-overlap", group,
         "reduce after the backward pass rather than during it, for comparison", "overlap",
         [=](Options o) { return when(replicated(o), o.communication.overlap); }},
        {"--reproducible", group,
         "bitwise the same result on any number of ranks, for the same --global-batch, "
         "--micro-batch, tp, cp and ep; prints hashes",
         "reproducible", [](Options o) { return o.reproducible; }},
    };
}

}  // namespace

const std::vector<TrainOption>& train_options() {
    static const auto table = [] {
        std::vector<TrainOption> all;
        for (const auto& group : {model_options(), batch_options(), plan_options(),
                                  choice_options(), precision_options(), optimizer_options(),
                                  communication_options(), device_options()}) {
            all.insert(all.end(), group.begin(), group.end());
        }
        return all;
    }();
    return table;
}

const TrainOption& train_option(const std::string& flag) {
    const auto found = std::ranges::find(train_options(), flag, &TrainOption::flag);
    SHARDSTONE_EXPECTS(found != train_options().end());
    return *found;
}

void require_meaning(const std::string& flag, const std::string& word,
                     const TrainOptions& options) {
    const TrainOption& option = train_option(flag);
    require(option.needs.empty() || !option.value(options).is_null(), [&] {
        return fmt::format("{} {} means nothing without {}: omit it", flag, word, option.needs);
    });
}

nlohmann::json to_json(const GptConfig& model) {
    TrainOptions options;
    options.model = model;
    json all{{"parameters", model.parameter_count()}};
    for (const TrainOption& option : model_options()) all[option.key] = option.value(options);
    return all;
}

nlohmann::json to_json(const TrainOptions& options) {
    json all{{"parameters", options.model.parameter_count()},
             {"peak_rate", learning_rate_of(options).peak}};
    for (const TrainOption& option : train_options()) all[option.key] = option.value(options);
    return all;
}

}  // namespace shardstone::benchmarks
