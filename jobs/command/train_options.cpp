// SPDX-License-Identifier: BSD-3-Clause
// Declares the options of `train` on the command line, with its help text.
#include "jobs/command/train_options.hpp"

#include <type_traits>

#include "benchmarks/training/run/options.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/outlier_option.hpp"
#include "jobs/command/output_names.hpp"
#include "jobs/command/outputs.hpp"
#include "reference/step/strategy_choice.hpp"

namespace shardstone::command {

namespace {

using namespace reference;

/// Named, explained and put under its heading by the table; the value that is there is the default.
template <class Value>
CLI::Option* declare(CLI::App& app, const std::string& flag, Value& value) {
    const benchmarks::TrainOption& row = benchmarks::train_option(flag);
    if constexpr (std::is_same_v<Value, bool>) {
        return app.add_flag(flag, value, row.text)->group(row.group);
    } else {
        CLI::Option* const option = app.add_option(flag, value, row.text)->group(row.group);
        constexpr bool is_list = requires {
            value.push_back({});
        }
        &&!std::is_same_v<Value, std::string>;
        constexpr bool may_be_absent = requires {
            value.has_value();
        };
        if constexpr (is_list) option->delimiter(',');
        if constexpr (!is_list && !may_be_absent) option->capture_default_str();
        return option;
    }
}

void declare_model(CLI::App& app, TrainArguments& arguments) {
    declare(app, "--model", arguments.model);
    declare(app, "--layers", arguments.layers);
    declare(app, "--heads", arguments.heads);
    declare(app, "--channels", arguments.channels);
    declare(app, "--vocabulary", arguments.vocabulary);
    declare(app, "--context", arguments.context);
    ExpertOptions& experts = arguments.experts;
    declare(app, "--experts", experts.count);
    declare(app, "--top-k", experts.top_k);
    declare(app, "--capacity", experts.capacity);
    declare(app, "--balance-loss", experts.balance);
    declare(app, "--router-z-loss", experts.z);
}

void declare_batch(CLI::App& app, TrainArguments& arguments) {
    TrainOptions& options = arguments.options;
    app.add_option("--data", arguments.data,
                   "folder of token shards (default: the built-in 'Paradise Lost')")
        ->group(benchmarks::train_option("--global-batch").group);
    declare(app, "--global-batch", options.batch.global_batch);
    declare(app, "--micro-batch", arguments.micro_batch);
    declare(app, "--micro-batches", arguments.micro_batches)->excludes("--micro-batch");
    declare(app, "--shortest", options.batch.shortest);
    declare(app, "--sequence", arguments.sequence);
    declare(app, "--steps", options.steps);
    declare(app, "--seed", options.seed);
    declare(app, "--eval-every", options.eval_every);
    declare(app, "--eval-sequences", options.eval_sequences);
}

void declare_plan(CLI::App& app, TrainArguments& arguments) {
    PipelineOptions& pipeline = arguments.options.pipeline;
    declare(app, "--plan", arguments.plan);
    declare(app, "--schedule", pipeline.schedule);
    declare(app, "--chunks", pipeline.chunks);
    declare(app, "--stage-layers", pipeline.layers);
    declare(app, "--scatter-gather", pipeline.scatter_gather);
    declare(app, "--recompute", arguments.recompute);
    for (const StrategyChoice& choice : strategy_choices()) {
        std::string& word = arguments.options.choices[choice.name];
        word = choice.words.front();
        declare(app, "--" + choice.name, word);
    }
    declare(app, "--freeze", arguments.options.frozen);
    app.add_option(
           "--memory-limit", arguments.memory_limit,
           "memory per rank, e.g. 64M: reject a plan that needs more, and stop if a rank exceeds "
           "it (default: reject a plan that needs more than its nodes have available)")
        ->check(size_in_bytes())
        ->group(benchmarks::train_option("--plan").group);
}

void declare_dry_run(CLI::App& app, TrainArguments& arguments) {
    constexpr const char* group = "Prediction (--dry-run, --explain)";
    app.add_flag("--dry-run", arguments.dry_run,
                 "print groups, placement, memory and predicted timeline of the plan without "
                 "training, for any number of ranks (groups of thousands take a minute)")
        ->group(group);
    app.add_option("--timeline", arguments.timeline,
                   "file for the predicted timeline of a step, as SVG")
        ->needs("--dry-run")
        ->group(group);
    app.add_flag("--explain", arguments.explain,
                 "split the time of the last steps into useful passes, bubble, latency, bandwidth, "
                 "imbalance and the rest, beside the prediction (table gap)")
        ->excludes("--dry-run")
        ->group(group);
    declare_pricing(app, arguments.pricing, group);
}

/// Of the machine on which a step is priced, where none is.
void require_pricing(CLI::App& app) {
    if (app.count("--dry-run") > 0 || app.count("--explain") > 0) return;
    for (const char* option : {"--cluster", "--gflop-rate", "--memory-rate"}) {
        if (app.count(option) > 0) throw CLI::RequiresError(option, "--dry-run or --explain");
    }
}

void declare_precision(CLI::App& app, TrainArguments& arguments) {
    declare(app, "--precision", arguments.precision);
    declare(app, "--gradient-wire", arguments.gradient_wire);
    declare(app, "--loss-scale", arguments.loss_scale);
    declare(app, "--scale-growth", arguments.scale_growth);
    declare(app, "--inject-overflow", arguments.overflow);
}

void declare_optimizer(CLI::App& app, TrainArguments& arguments) {
    OptimizerOptions& optimizer = arguments.options.optimizer;
    declare(app, "--optimizer", arguments.optimizer);
    declare(app, "--lr", optimizer.learning_rate);
    declare(app, "--lr-shape", arguments.rate_shape);
    declare(app, "--min-lr", arguments.least_rate);
    declare(app, "--scale-rate", arguments.rate_scaling);
    declare(app, "--base-batch", optimizer.base_batch);
    declare(app, "--warmup", optimizer.warmup_steps);
    declare(app, "--weight-decay", optimizer.weight_decay);
    declare(app, "--beta1", optimizer.beta1);
    declare(app, "--beta2", optimizer.beta2);
    declare(app, "--momentum", optimizer.momentum);
    declare(app, "--trust", optimizer.trust);
    declare(app, "--clip", optimizer.clip);
}

void declare_communication(CLI::App& app, TrainArguments& arguments) {
    declare(app, "--all-reduce", arguments.options.communication.all_reduce);
    declare(app, "--bucket-size", arguments.bucket_size)->check(size_in_bytes());
    declare(app, "--no-overlap", arguments.no_overlap);
    declare(app, "--reproducible", arguments.options.reproducible);
}

void declare_device_and_faults(CLI::App& app, TrainArguments& arguments) {
    declare(app, "--device", arguments.device);
    declare(app, "--graphs", arguments.options.graphs);
    declare(app, "--tf32", arguments.options.tf32);
    declare_pace(app, arguments.pace);
    for (const char* flag : pace_flags) {
        app.get_option(flag)->group(benchmarks::train_option(flag).group);
    }
    declare(app, "--pace-input", arguments.pace_input_ms)->check(positive_number());
    for (const char* planted : {"--pace-input", "--pace-slow"}) {
        app.get_option("--dry-run")->excludes(app.get_option(planted));  // it predicts no faults
    }
    // A prediction takes the device's rates from either.
    for (const char* rate : {"--gflop-rate", "--memory-rate"}) {
        app.get_option("--pace")->excludes(app.get_option(rate));
    }
}

void declare_output(CLI::App& app, TrainArguments& arguments) {
    constexpr const char* group = "Output";
    app.add_option("--log-every", arguments.log_every,
                   "steps between progress lines (0: about twenty lines)")
        ->check(whole_number(0))
        ->capture_default_str()
        ->group(group);
    mark_output(
        app.add_option("--trace", arguments.trace, "file for a Chrome trace, one row per rank"))
        ->group(group);
    mark_output(
        app.add_option("--export", arguments.exported,
                       "folder for the final weights, gradients and moments, in the format of "
                       "'shardstone export'"))
        ->group(group);
    declare_fail_on_outlier(app, arguments.fail_on_outlier, "step")->group(group);
    app.add_option("--json", arguments.json, "record as JSON")->group(group);
    app.add_option("--hdf5", arguments.hdf5, "record as HDF5")->group(group);
    // Nothing is trained there that they could hold.
    for (const char* record : {"--trace", "--json", "--hdf5", "--fail-on-outlier"}) {
        app.get_option("--dry-run")->excludes(app.get_option(record));
    }
    app.get_option("--pace")->excludes(app.get_option("--export"));  // there are no weights
    declare_force(app);
}

/// Those of the table that a command line has.
std::map<std::string, std::string> given_options(CLI::App& app) {
    std::map<std::string, std::string> given;
    for (const benchmarks::TrainOption& row : benchmarks::train_options()) {
        const CLI::Option& option = *app.get_option(row.flag);
        if (option.count() > 0) given[row.flag] = option.results().front();
    }
    return given;
}

}  // namespace

const char* const train_details =
    R"(Trains on token shards ('shardstone data') or, by default, on Milton's 'Paradise Lost', which is
built into the program: the same command trains on the same tokens everywhere. The loss is the mean
over the tokens of the global batch, in nats. At the end it prints losses, speed, memory by class next
to its formula, bytes sent next to the schedules' volume, and the checks that a record needs.

Speed is that of the median step, with a 95 % interval, over the steps after the warm-up, whose end is
found from the times of the steps. Padding (--shortest) is computed like other tokens and counts as
such. MFU is model FLOP/s over the measured peak of the cores or GPUs in use, in the arithmetic of the
precision. Model FLOP are 6 N + 6 L C T per token: N parameters, without the
position embedding, with the tied head counted once and only those experts that received tokens;
L layers, C channels, T tokens per sequence; of attention only the part that the causal mask leaves
(PaLM's 12 L C T counts all of it). The time of a step is split into compute, communication not hidden
by compute, data, optimizer, and the part of these without a core (preempted: by another rank where
there are more ranks than cores, or by another process). Communication counts by the wall clock, and so
does everything with --pace or on GPUs, where nothing is counted as preempted: what of a paced training
was waiting for cores, which the kernel counts, is a part of its own in --explain.

With --device cuda each rank trains on a GPU of its own. Messages go through NCCL: over its sends by the
schedule of --all-reduce, or with --all-reduce nccl by its own all-reduce. A plan whose tensors need more
than a rank's GPU has free is refused; what libraries take besides runs out when it is taken. --memory-limit,
--explain and fp64 are of cores only. The parts of each step are measured by the GPU's clock, as are the
actions of --trace, where a message ends when computations go on with it; --dry-run predicts them from the
GPU's --gflop-rate and --memory-rate and the links of --cluster, from a data sheet or as 'shardstone
calibrate --device cuda' measured them, and NVIDIA's nsys profile times every kernel.

Steps in which a rank stalled (was stopped, or held up by the system) for 40 ms or more, and steps far
beyond all others, are listed at the end with rank, node and what the machine did. Table outliers of
the record has all of them, and rank_times compares each rank's median work with the other ranks'.

Stopped by SIGINT or SIGTERM, it ends with 130 after the current step (a long one of a paced training
is cut short and left out), with an incomplete record of the steps so far, or with none before the first; a loss that is not finite ends it with 3 and such a record. Killed, it leaves
RECORD.journal, from which 'shardstone recover' makes that record. There are no checkpoints: the loss
curve is kept, but a training that was ended cannot continue. Exit code 1: a check failed. All codes:
shardstone --help

With --pace nothing is computed: a pass takes as long as on a device of that rate (the rank sleeps),
while step programs, buffers and messages are the real ones, so that the network of a cluster can be
measured before its GPUs are there. The record says so, and has no losses. --explain splits the time
of the last steps: the programs are replayed with the measured times without one loss after another,
and each part is what the step becomes shorter by. Latency and bandwidth are at most what the links
of --cluster have of them ('shardstone calibrate' measures them). What transfers take beyond that is
waiting for cores, where the kernel counted ranks as ready without a core before they took messages,
and otherwise slower than described. The parts add up to the mean of these steps by the ranks'
clocks; the speed is that of the median step. --pace-slow and --pace-input plant a slow device or a
slow input, to see what they cost.

A plan splits the model over ranks: dp replicas x ep replicas that share the experts x tp tensor ranks
x cp context ranks, which share the positions of every sequence, x pp stages, with ZeRO over all ranks
that hold the same weights (dp x ep x cp; dp x cp for experts). Every plan trains the same model
('shardstone validate equivalence'). --precision fp64 --export DIR writes what others need to check it.
  mpiexec -n 4 shardstone train --model tiny --plan dp=4 --global-batch 16 --steps 50
  mpiexec -n 8 shardstone train --plan dp=2,tp=2,pp=2,zero=1 --micro-batches 8 --steps 50
  mpiexec -n 4 shardstone train --experts 8 --top-k 2 --capacity 1.25 --plan dp=2,ep=2 --steps 50
  mpiexec -n 8 shardstone train --pace 20 --plan dp=8,zero=3 --explain --cluster machine.toml
  mpiexec -n 8 shardstone train --reproducible --global-batch 24 --trace step.trace.json
  mpiexec -n 8 shardstone train --device cuda --model gpt2-124m --precision bf16 --plan dp=8,zero=1
  shardstone train --model gpt2-124m --sequence 256 --global-batch 4 --steps 10
  shardstone train --model nano --precision fp64 --steps 30 --export trained)";

void declare_train(CLI::App& app, TrainArguments& arguments) {
    declare_model(app, arguments);
    declare_batch(app, arguments);
    declare_plan(app, arguments);
    declare_dry_run(app, arguments);
    declare_precision(app, arguments);
    declare_optimizer(app, arguments);
    declare_communication(app, arguments);
    declare_device_and_faults(app, arguments);
    declare_output(app, arguments);
    app.parse_complete_callback([&app, &arguments] {
        require_pricing(app);
        arguments.given = given_options(app);
    });
}

}  // namespace shardstone::command
