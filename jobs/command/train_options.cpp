// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/command/train_options.hpp"

#include <fmt/format.h>

#include "jobs/command/outlier_option.hpp"
#include "jobs/command/outputs.hpp"
#include "kernels/base/error.hpp"
#include "reference/step/schedules/schedule.hpp"

namespace shardstone::command {

namespace {

using namespace reference;

void declare_model(CLI::App& app, TrainArguments& arguments) {
    std::string presets;
    for (const auto& preset : gpt_presets()) {
        presets += (presets.empty() ? "" : ", ") + preset.name;
    }
    constexpr const char* group = "Model (a preset, any size of it overridden)";
    app.add_option("--model", arguments.model, presets)->capture_default_str()->group(group);
    app.add_option("--layers", arguments.layers, "transformer blocks")->group(group);
    app.add_option("--heads", arguments.heads, "attention heads")->group(group);
    app.add_option("--channels", arguments.channels, "width, a multiple of the heads")
        ->group(group);
    app.add_option("--vocabulary", arguments.vocabulary, "tokens the model knows")->group(group);
    app.add_option("--context", arguments.context, "longest sequence")->group(group);
}

void declare_batch(CLI::App& app, TrainArguments& arguments) {
    constexpr const char* group = "Data and batch";
    TrainOptions& options = arguments.options;
    app.add_option("--data", arguments.data,
                   "folder of token shards (default: 'Paradise Lost', a part of the program)")
        ->group(group);
    app.add_option("--global-batch", options.batch.global_batch, "sequences per step, all ranks")
        ->capture_default_str()
        ->group(group);
    app.add_option("--micro-batch", arguments.micro_batch,
                   "sequences per forward and backward (default: a rank's whole share; "
                   "1 with --reproducible and with several stages)")
        ->group(group);
    app.add_option("--micro-batches", arguments.micro_batches,
                   "how many micro-batches a replica's share is cut into, instead")
        ->excludes("--micro-batch")
        ->group(group);
    app.add_option("--shortest", options.batch.shortest,
                   "draw lengths from this to --sequence and pad; 0: all full")
        ->capture_default_str()
        ->group(group);
    app.add_option("--sequence", arguments.sequence,
                   "tokens per sequence (default: the model's context)")
        ->group(group);
    app.add_option("--steps", options.steps, "optimizer steps")
        ->capture_default_str()
        ->group(group);
    app.add_option("--seed", options.seed, "of weights and sequences")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->group(group);
    app.add_option("--eval-every", options.eval_every,
                   "steps between evaluations on held-out data (0: at the end only)")
        ->capture_default_str()
        ->group(group);
    app.add_option("--eval-sequences", options.eval_sequences, "sequences per evaluation, at most")
        ->capture_default_str()
        ->group(group);
}

std::string schedule_names() {
    std::string text;
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        text += (text.empty() ? "" : ", ") + schedule.name;
    }
    return text;
}

void declare_plan(CLI::App& app, TrainArguments& arguments) {
    constexpr const char* group = "Plan: how the model is split";
    TrainOptions& options = arguments.options;
    app.add_option("--plan", arguments.plan,
                   "axes and their sizes, e.g. dp=2,tp=2,pp=2,zero=1,sp=1: replicas, tensor ranks, "
                   "stages, ZeRO stage, sequence parallelism (default: dp=<ranks>)")
        ->group(group);
    app.add_option("--schedule", options.pipeline.schedule, "order of stages: " + schedule_names())
        ->capture_default_str()
        ->group(group);
    app.add_option("--chunks", options.pipeline.chunks,
                   "parts of the model per stage, for --schedule interleaved")
        ->capture_default_str()
        ->group(group);
    app.add_option("--stage-layers", options.pipeline.layers,
                   "layers of each part in model order, e.g. 3,2,2,1 (default: even)")
        ->delimiter(',')
        ->group(group);
    app.add_flag("--scatter-gather", options.pipeline.scatter_gather,
                 "tensor ranks send their shares of the rows from stage to stage, and gather them "
                 "there: for stages on a network slower than what joins tensor ranks")
        ->group(group);
    app.add_option("--recompute", arguments.recompute,
                   "activations not kept: none, selective (attention), full")
        ->capture_default_str()
        ->group(group);
    app.add_option("--freeze", options.frozen, "tensors that keep their values, by how they begin")
        ->delimiter(',')
        ->group(group);
    app.add_option("--memory-limit", arguments.memory_limit,
                   "per rank, e.g. 64M: refuse a plan that needs more, and stop when it is passed "
                   "(default: refuse what is more than a node has available)")
        ->group(group);
}

void declare_dry_run(CLI::App& app, TrainArguments& arguments) {
    constexpr const char* group = "Prediction (--dry-run)";
    app.add_flag("--dry-run", arguments.dry_run,
                 "print groups, placement, memory and predicted timeline of the plan; any number "
                 "of ranks, nothing is trained")
        ->group(group);
    app.add_option("--timeline", arguments.timeline, "the predicted step as SVG")
        ->needs("--dry-run")
        ->group(group);
    declare_pricing(app, arguments.pricing, group);
    for (const char* option : {"--cluster", "--gflop-rate", "--memory-rate"}) {
        app.get_option(option)->needs("--dry-run");
    }
}

void declare_optimizer(CLI::App& app, TrainArguments& arguments) {
    constexpr const char* group = "Optimizer";
    OptimizerOptions& optimizer = arguments.options.optimizer;
    const auto add = [&](const char* name, auto& value, const char* text) {
        app.add_option(name, value, text)->capture_default_str()->group(group);
    };
    add("--optimizer", arguments.optimizer, optimizer_names().c_str());
    add("--lr", optimizer.learning_rate, "learning rate after the warm-up");
    add("--lr-shape", arguments.rate_shape, "learning rate after that: cosine, constant");
    app.add_option("--min-lr", arguments.least_rate,
                   "learning rate at the end of the cosine (default: a tenth of --lr)")
        ->group(group);
    add("--scale-rate", arguments.rate_scaling,
        "multiply the rates by --global-batch / --base-batch (linear) or its root (sqrt), or not "
        "(none)");
    add("--base-batch", optimizer.base_batch, "sequences per step that --lr was found for");
    add("--warmup", optimizer.warmup_steps, "steps of linear warm-up, --steps at most");
    add("--weight-decay", optimizer.weight_decay, "of matrices");
    const auto add_default = [&](const char* name, auto& value, const char* text, double standard) {
        app.add_option(name, value, fmt::format("{} (default: {})", text, standard))->group(group);
    };
    add_default("--beta1", arguments.beta1, "adamw, lamb: decay of the first moment",
                optimizer.beta1);
    add_default("--beta2", arguments.beta2, "adamw, lamb: decay of the second moment",
                optimizer.beta2);
    add_default("--momentum", arguments.momentum, "momentum, nesterov, lars: what a step keeps",
                optimizer.momentum);
    add_default("--trust", arguments.trust, "lars: a tensor's step as a share of its norm",
                optimizer.trust);
    add("--clip", optimizer.clip, "limit of the global gradient norm (0: none)");
}

void declare_communication(CLI::App& app, TrainArguments& arguments) {
    constexpr const char* group = "Communication and numbers";
    TrainOptions& options = arguments.options;
    app.add_option("--all-reduce", options.communication.all_reduce,
                   "algorithm for the gradients ('shardstone collectives --list')")
        ->capture_default_str()
        ->group(group);
    app.add_option("--bucket-size", arguments.bucket_size,
                   "gradients per reduction in FP32 bytes, e.g. 4M (default: an eighth of the "
                   "parameters, from 256K to 25M)")
        ->group(group);
    app.add_flag("--no-overlap", arguments.no_overlap,
                 "reduce after the backward pass, not during it; for comparison")
        ->group(group);
    app.add_flag("--reproducible", options.reproducible,
                 "bitwise the same result on any number of ranks, at the same --global-batch and "
                 "--micro-batch; prints hashes")
        ->group(group);
}

void declare_output(CLI::App& app, TrainArguments& arguments) {
    constexpr const char* group = "Output";
    app.add_option("--log-every", arguments.log_every,
                   "steps between progress lines (0: about twenty lines)")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->group(group);
    app.add_option("--trace", arguments.trace, "Chrome trace, one row per rank")->group(group);
    app.add_option("--export", arguments.exported,
                   "folder for the final weights, gradients and moments, in the format of "
                   "'shardstone export'")
        ->group(group);
    declare_fail_on_outlier(app, arguments.fail_on_outlier, "step")->group(group);
    app.add_option("--json", arguments.json, "record as JSON")->group(group);
    app.add_option("--hdf5", arguments.hdf5, "record as HDF5")->group(group);
    // Nothing is trained there that they could hold.
    for (const char* record : {"--trace", "--json", "--hdf5", "--fail-on-outlier"}) {
        app.get_option("--dry-run")->excludes(app.get_option(record));
    }
    declare_force(app);
}

}  // namespace

const char* const train_details =
    R"(Trains on token shards ('shardstone data') or, by default, on Milton's 'Paradise Lost', which is
part of the program: the same command trains on the same tokens everywhere. The loss is the mean over
the tokens of the global batch, in nats. At the end: losses, speed, memory by class beside its
formula, bytes sent beside the schedules' volume, and the checks that a record needs.

Speed is that of the median step, with a 95 % interval, over the steps after the warm-up, which ends
where the times of the steps show it. MFU is model FLOP/s over the measured peak of the cores in use,
in the arithmetic of the precision. Model FLOP are 6 N + 6 L C T per token: N parameters, those of the
position embedding left out and the tied head counted once, L layers, C channels, T tokens per
sequence; of attention only what the causal mask leaves (PaLM's 12 L C T counts all of it). The time of a step is split into compute, communication that
compute did not hide, data, optimizer, and the part of these without a core (preempted: by another
rank where there are more ranks than cores, or by another process).

Steps in which a rank stood still (stopped, or held up by the machine below) for 40 ms or more, and steps
far beyond all others, are named at the end with rank, node and what the machine did; table outliers of
the record has all of them, and rank_times each rank's median work beside the other ranks'.

Stopped by SIGINT or SIGTERM it ends after the step that is under way with 130 and an incomplete record
of the steps until then; a loss that is not finite ends it with 3 and such a record. Killed, it leaves
RECORD.journal, of which 'shardstone recover' makes that record. There are no checkpoints: the curve is
kept, but a training that was ended cannot go on. Exit code 1: a check failed. All codes: shardstone
--help

A plan splits the model over ranks: dp replicas x tp tensor ranks x pp stages, ZeRO over the replicas;
every plan trains the same model ('shardstone validate equivalence'). --precision fp64 --export DIR
gives others what they need to check it.
  mpiexec -n 4 shardstone train --model tiny --plan dp=4 --global-batch 16 --steps 50
  mpiexec -n 8 shardstone train --plan dp=2,tp=2,pp=2,zero=1 --micro-batches 8 --steps 50
  mpiexec -n 8 shardstone train --reproducible --global-batch 24 --trace step.trace.json
  shardstone train --model gpt2-124m --sequence 256 --global-batch 4 --steps 10
  shardstone train --model nano --precision fp64 --steps 30 --export trained)";

void declare_train(CLI::App& app, TrainArguments& arguments) {
    declare_model(app, arguments);
    declare_batch(app, arguments);
    declare_plan(app, arguments);
    declare_dry_run(app, arguments);
    declare_precision(app, arguments.precision);
    declare_optimizer(app, arguments);
    declare_communication(app, arguments);
    declare_output(app, arguments);
}

}  // namespace shardstone::command
