// SPDX-License-Identifier: BSD-3-Clause
// `shardstone step`: what the arithmetic of one training step costs on one core, or one GPU.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/tries.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "benchmarks/training/step_record.hpp"
#include "collectives/device/devices.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/units.hpp"
#include "kernels/gemm/gemm.hpp"
#include "reference/precision/precision.hpp"
#include "results/report/words.hpp"
#include "results/schema/gpu_use_in_words.hpp"

namespace shardstone::command::step_command {

namespace {

using benchmarks::StepSetup;
using benchmarks::StepTiming;

constexpr const char* details = R"(Examples
  taskset -c 1 shardstone step --model gpt2-124m --batch 4 --sequence 256 --iterations 6
  taskset -c 1 shardstone step --model gpt2-124m --batch 4 --sequence 256 --precision bf16
  mpiexec -n 2 shardstone step --model tiny --json step.json
  shardstone step --device cuda --model gpt2-124m --batch 16 --precision bf16

Times forward, backward, AdamW and the zeroing of the gradients, on random tokens and without
communication. With several ranks each does the whole step by itself at the same time, and a step
takes as long as its slowest rank: this shows how much the ranks of a node slow one another down.
A run takes about a minute; a stopped one keeps nothing.

With --device cuda each rank computes on its GPU; ranks that outnumber the GPUs of a node share them,
and the peak is then each one's share of it. The host waits only at the end of a step. Whether other
programs use a GPU is not seen ("!" tells of cores), but what held its clock down is; the record also
has its energy and memory.

Reading the output
  median     over the iterations after the warm-up, with a 95 % interval if there are enough
  step       by the host's clock; the parts, on a GPU, by the GPU's, with its waits for kernels to be
             launched: of the step they leave what the host takes before that, and to see the end
  FLOP/s     the model's FLOP over the median, 6 N + 6 L C T per token as defined by `train --help`:
             required work, without what the kernels recompute
  MFU        FLOP/s over the measured peak of one core in the arithmetic of the precision (FP32
             multiply-adds from registers; for bf16 the fastest of these, the processor's BF16 dot
             products, its matrix unit (AMX), and products of matrices); of one GPU in cuBLASLt's
             products of that type
  !          other programs, or the hypervisor, took over 5 % of the cores meanwhile, in each of
             up to three tries, of which this is the quietest
  loss       per token, before the first and the last step on one micro-batch: must decrease

Exit code 1: a check of the loss failed, or a share is above 100 %. All codes: shardstone --help)";

struct Request {
    std::string model = "tiny";
    std::string precision = "fp32", device = "cpu";
    std::int64_t batch = 4, sequence = 0, iterations = 0;
    std::filesystem::path json, hdf5;
};

StepSetup resolve(const Request& request) {
    StepSetup setup;
    setup.model = reference::gpt_preset(request.model);
    constexpr std::int64_t most_sequences = 1 << 20;
    require(request.batch <= most_sequences, [&] {
        return fmt::format("--batch {}: give at most {}", request.batch, most_sequences);
    });
    setup.micro_batch = request.batch;
    setup.sequence = request.sequence > 0 ? request.sequence : setup.model.context;
    const reference::Precision& precision = reference::find_precision(request.precision);
    setup.precision = precision;
    setup.device = reference::parse_device(request.device);
    const bool full = precision.storage == reference::Storage::full && !precision.fp64;
    require((precision.master_weights || full) && !precision.fp8_products, [&] {
        return fmt::format(
            "--precision {}: this benchmark computes in FP32, keeps master weights and has no "
            "history from which to derive FP8 scales; give fp32, bf16, bf16-stream or fp16",
            precision.name);
    });
    setup.policy.fixed_iterations = request.iterations;
    if (request.iterations > 0) setup.policy.fixed_warmup = 1;
    setup.policy.time_limit_s = 20.0;
    require(setup.sequence <= setup.model.context, [&] {
        return fmt::format(
            "--sequence {} exceeds the context of {} of model '{}': give at most that",
            setup.sequence, setup.model.context, setup.model.name);
    });
    return setup;
}

void print_part(const char* name, const std::vector<double>& samples_s, double step_s) {
    const double median_s = median(samples_s);
    fmt::print("  {:<10}{:>10}  {:5.1f} %\n", name, format_time(median_s),
               100.0 * median_s / step_s);
}

void print_libraries([[maybe_unused]] reference::DeviceKind device, [[maybe_unused]] int ranks) {
#ifdef SHARDSTONE_HAS_CUDA
    if (device == reference::DeviceKind::cuda) {
        fmt::print("on {} ({}), products by {}\n", collectives::used_gpus_in_words(ranks),
                   collectives::used_gpus().names.front(), gpu_gemm_library());
        return;
    }
#endif
    fmt::print("products by {}; bf16 by {}\n", gemm_library(), bf16_product_method());
    if (const auto warning = gemm_warning()) fmt::print("warning: {}\n", *warning);
}

std::string title_of(const StepSetup& setup, int ranks) {
    const std::string what = "Arithmetic of a training step, model " + setup.model.name;
    if (setup.device == reference::DeviceKind::cpu) return what;
    return what + " on " + collectives::used_gpus_in_words(ranks);
}

void print_head(const Request& request, const StepSetup& setup, int ranks) {
    fmt::print("model {} ({} parameters), B {}, T {}, {}, {} independently\n", setup.model.name,
               setup.model.parameter_count(), setup.micro_batch, setup.sequence, request.precision,
               counted(ranks, "rank"));
    print_libraries(setup.device, ranks);
}

void print_clocks(const std::vector<results::GpuUseRow>& gpus) {
    if (gpus.empty()) return;
    const std::string clocks = results::clocks_in_words(gpus);
    fmt::print("clock of the GPUs: {}\n",
               clocks.empty() ? "not told, " + gpus.front().not_told : clocks);
}

void print(const StepSetup& setup, const StepTiming& timing, const benchmarks::Tries& tries) {
    const auto& watched = tries.watched;
    const auto& step = timing.step;
    const std::string interval =
        step.interval_s ? fmt::format("95 % interval {} to {}", format_time(step.interval_s->low),
                                      format_time(step.interval_s->high))
                        : "too few iterations for an interval";
    fmt::print("  {:<10}{:>10}  median of {} iterations, {} {}\n", "step",
               format_time(step.median_s), step.samples_s.size(), interval,
               disturbance_mark(watched.surroundings));
    print_part("forward", timing.forward_s, step.median_s);
    print_part("backward", timing.backward_s, step.median_s);
    print_part("AdamW", timing.optimizer_s, step.median_s);
    print_part("zeroing", timing.zeroing_s, step.median_s);
    const bool shares = collectives::used_gpus().most_sharing > 1;
    fmt::print("{:.1f} tokens/s and {} per rank, {:.1f} % MFU of {}a {}'s measured peak{} {}, {}\n",
               timing.tokens_per_s(setup), results::flop_rate_text(timing.flop_per_s() * 1e-9),
               100.0 * timing.mfu(), shares ? "its share of " : "", timing.peak.processor,
               shares ? ":" : " of", results::flop_rate_text(timing.peak.core_flop_per_s * 1e-9),
               timing.peak.arithmetic);
    print_clocks(timing.gpus.use);
    for (const auto& check : checks_of(timing)) {
        fmt::print("{}  {} ({})\n", check.passed ? "passed" : "FAILED", check.name, check.detail);
    }
    fmt::print("{}{}", benchmarks::stall_note(benchmarks::outlier_rows(tries.stalls)),
               benchmarks::disturbance_note({watched.surroundings}, "measurement"));
}

/// A step's timing, what stalled its tries, and how the ranks' times compare.
struct Timed {
    StepTiming timing;
    benchmarks::Tries tries;
    std::vector<benchmarks::RankPace> ranks;
};

/// Prints and writes what rank 0 knows; the exit code is everybody's.
int report(const Request& request, const StepSetup& setup, const Timed& timed,
           const benchmarks::Watch& watch, const collectives::Communicator& world) {
    const auto& [timing, tries, ranks] = timed;
    end_health(world);
    const bool verified = world.agree([&] {
        if (!world.is_root()) return true;
        print_head(request, setup, world.size());
        print(setup, timing, tries);
        auto record = new_run_record("step", title_of(setup, world.size()), world);
        fill_step_record(setup, world.size(), timing, tries.watched, record);
        record.derived.push_back(results::table_of(benchmarks::outlier_rows(tries.stalls)));
        record.derived.push_back(benchmarks::rank_times_table(ranks));
        record.samples.push_back(benchmarks::surroundings_table(watch.log()));
        write_record(record, request.json, request.hdf5);
        return record.verified();
    });
    return world.min(verified ? 1.0 : 0.0) > 0.0 ? 0 : 1;
}

int run(collectives::Communicator& world, const Request& request) {
    const StepSetup setup = world.agree([&] {
        if (world.is_root()) require_outputs_writable({request.json, request.hdf5});
        StepSetup asked = resolve(request);
        if (asked.device == reference::DeviceKind::cuda) require_gpu();
        return asked;
    });
    benchmarks::Watch watch(world);
    enter_phase("measuring");
    benchmarks::StallWatch pulses(world);
    ProgressLine progress(world.is_root(), "measuring the peak");
    int tries_begun = 0;
    StepTiming tried;
    Timed timed;
    timed.tries = until_undisturbed(
        watch, pulses,
        [&] {
            ++tries_begun;
            tried = time_training_step(world, setup, [&](std::int64_t step) {
                if (step > 1 && !progress.due()) return;
                progress.say(fmt::format("try {}: at step {}", tries_begun, step));
            });
        },
        [&] { timed.timing = tried; },
        [&] {
            const auto& step = tried.step;
            return benchmarks::Series{step.samples_s, step.laps.own_begin_s, step.laps.own_end_s};
        });
    timed.ranks = pulses.rank_times(timed.timing.step.laps);
    return report(request, setup, timed, watch, world);
}

std::function<int()> declare(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    app.add_option("--model", request->model, "Preset: tiny, ..., gpt2-124m")
        ->capture_default_str();
    app.add_option("--precision", request->precision, "fp32, bf16, bf16-stream or fp16")
        ->capture_default_str();
    app.add_option("--device", request->device, "cpu: a core of each rank; cuda: a GPU of each")
        ->capture_default_str();
    app.add_option("-b,--batch", request->batch, "Sequences per step and rank")
        ->check(whole_number(1))
        ->capture_default_str();
    app.add_option("-s,--sequence", request->sequence,
                   "Tokens per sequence (default: the model's context)")
        ->check(whole_number(1));
    app.add_option("-n,--iterations", request->iterations,
                   "Timed iterations, after one warm-up (default: until precise, at most 20 s)")
        ->check(whole_number(1));
    app.add_option("--json", request->json, "Write the record as JSON");
    app.add_option("--hdf5", request->hdf5, "Write the record as HDF5");
    declare_force(app);
    return [request] {
        return run_recorded([&](collectives::Communicator& world) { return run(world, *request); });
    };
}

const Registration registration{
    {"step", "Time the arithmetic of one training step: forward, backward, AdamW", details,
     declare}};

}  // namespace

}  // namespace shardstone::command::step_command
