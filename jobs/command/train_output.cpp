// SPDX-License-Identifier: BSD-3-Clause
// Prints a training on rank 0: configuration, progress of the steps, closing figures and checks.
#include "jobs/command/train_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "benchmarks/training/run/checks.hpp"
#include "benchmarks/training/run/memory.hpp"
#include "collectives/device/devices.hpp"
#include "jobs/command/pace_option.hpp"
#include "kernels/base/units.hpp"
#include "reference/data/hash.hpp"
#include "results/report/words.hpp"
#include "results/schema/gpu_use_in_words.hpp"

namespace shardstone::command {

namespace {

using namespace reference;

constexpr std::int64_t default_lines = 20;

/// Percent of each phase in the order of the enumeration.
std::array<double, step_part_count> percent_of(const StepPartTimes& times) {
    double total = 0.0;
    for (const double time : times) total += time;
    std::array<double, step_part_count> percent{};
    for (std::size_t p = 0; p < step_part_count; ++p) percent[p] = 100.0 * times[p] / total;
    return percent;
}

void print_router(const StepReport::Router& router) {
    fmt::print(
        "experts              balance loss {:.4f} (1: balanced), z-loss {:.3f}, {:.2f} % of "
        "choices dropped at the last step\n",
        router.balance, router.z, 100.0 * router.dropped);
}

void print_losses(const benchmarks::TrainingResult& result) {
    fmt::print("loss                 {:.4f} nats per token at the last step\n",
               result.final_loss());
    const auto validation = result.validation_loss();
    if (validation) fmt::print("validation loss      {:.4f}\n", *validation);
    if (!result.entropy_rate_nats) return;
    const double optimum = *result.entropy_rate_nats;
    const double loss = validation.value_or(result.final_loss());
    fmt::print("entropy rate         {:.4f}: loss - entropy rate = {:+.4f} ({:+.2f} %)\n", optimum,
               loss - optimum, 100.0 * (loss - optimum) / optimum);
}

/// What MFU is a share of, or the device of a paced training.
std::string words_of_peak(const TrainOptions& options, const benchmarks::BusyPeak& peak,
                          double paced_step_s) {
    if (options.pace) return pace_line(*options.pace, paced_step_s);
    return fmt::format("peak     {}: {} in use at {}, measured beforehand, {}",
                       results::flop_rate_text(peak.flop_per_s() * 1e-9),
                       counted(peak.cores, peak.processor),
                       results::flop_rate_text(peak.core_flop_per_s * 1e-9), peak.arithmetic);
}

void print_speed(const TrainOptions& options, const benchmarks::Throughput& speed) {
    const auto interval = std::isnan(speed.step.low_s)
                              ? std::string("too few steps for an interval")
                              : fmt::format("95 % interval {:.0f} to {:.0f}",
                                            speed.tokens_per_s_low(), speed.tokens_per_s_high());
    const bool pads = options.batch.shortest > 0 && options.batch.shortest < options.batch.sequence;
    fmt::print("speed                {:.0f} tokens/s{} ({}), {}{}\n", speed.tokens_per_s(),
               fmt::format("{}{}", pads ? ", padding included" : "", options.pace ? ", paced" : ""),
               interval, results::flop_rate_text(speed.flop_per_s() * 1e-9),
               options.pace ? "" : fmt::format(", MFU {:.1f} %", 100.0 * speed.mfu()));
    fmt::print("                     median of {}, without the first {}\n",
               counted(speed.counted_steps, "step"), speed.uncounted_steps);
    fmt::print("                     of {:.0f} FLOP per token, 6 N + 6 L C T with N = {:.0f}\n",
               speed.flop_per_token, speed.flop_parameters);
    const auto percent = percent_of(speed.phases);
    fmt::print(
        "time                 compute {:.1f} %, exposed communication {:.1f} %, data {:.1f} %, "
        "optimizer {:.1f} %, preempted {} (mean over ranks, of those steps)\n",
        percent[0], percent[1], percent[2], percent[3],
        counts_preempted(options) ? fmt::format("{:.1f} %", percent[4]) : "not counted");
    if (options.device == reference::DeviceKind::cuda) return;
    fmt::print("                     {} also waiting for cores, of which --explain tells more\n",
               options.pace ? "each is" : "communication is");
}

/// `median_s`: of the steps that count, whose rate is the training's.
void print_gap(const benchmarks::Gap& gap, double median_s) {
    double step_s = 0.0, predicted_s = 0.0;
    const GapSplit measured = gap.measured();
    for (const double time_s : measured) step_s += time_s;
    for (const double time_s : gap.predicted) predicted_s += time_s;
    const auto line = [&](const std::string& name, double time_s, double other_s) {
        fmt::print("    {:<46} {:>10} {:>6} % {:>10} {:>6} %\n", name, format_time(time_s),
                   format_fixed(100.0 * time_s / step_s, 1), format_time(other_s),
                   format_fixed(100.0 * other_s / predicted_s, 1));
    };
    fmt::print("where a step went                              {:>14}  {:>8}   predicted\n",
               "measured", "");
    fmt::print("    (predicted with links of {}: {})\n", gap.basis.cluster, gap.basis.source);
    for (std::size_t part = 0; part < gap_part_count; ++part) {
        if (measured[part] == 0.0 && gap.predicted[part] == 0.0) continue;
        line(std::string(gap_part_names[part]), measured[part], gap.predicted[part]);
    }
    line(gap.steps.size() == 1 ? "the last step"
                               : fmt::format("mean of the last {} steps", gap.steps.size()),
         step_s, predicted_s);
    fmt::print("    {:<46} {:>10} {:>6} %\n", "median of all counted steps", format_time(median_s),
               format_fixed(100.0 * median_s / step_s, 1));
    for (const auto& [change, changed_s, changed_predicted_s] : gap.changed) {
        const auto detail = change.detail.empty() ? "" : fmt::format(" ({})", change.detail);
        line("if " + change.name + detail, changed_s, changed_predicted_s);
    }
}

/// The driver takes over the values of a step into the graph of another one, unless it cannot.
void print_graphs(const benchmarks::TrainingResult& result) {
    if (result.graphs_made <= 1) return;
    fmt::print(
        "graphs               made {} times for {} steps: the driver did not take over all "
        "values\n",
        result.graphs_made, result.steps.size());
}

void print_gpus(const TrainOptions& options, const benchmarks::TrainingResult& result) {
    print_graphs(result);
    if (result.gpus.use.empty()) return;
    const double tokens = static_cast<double>(options.batch.global_tokens()) *
                          static_cast<double>(result.steps.size());
    fmt::print("energy               {}\n", results::energy_in_words(result.gpus.use, tokens));
    const std::string clocks = results::clocks_in_words(result.gpus.use);
    if (!clocks.empty()) fmt::print("clock                {}\n", clocks);
    fmt::print("GPU memory           {}\n", results::memory_in_words(result.gpus.use));
}

void print_memory(const benchmarks::TrainingResult& result) {
    fmt::print("memory of rank 0     {:>14}  {:>14}\n", "measured", "formula");
    for (const auto& memory : result.memory) {
        fmt::print("    {:<16} {:>14}  {:>14}\n", memory.name, format_size(memory.measured_bytes),
                   format_size(memory.formula_bytes));
    }
}

void print_bytes(const benchmarks::TrainingResult& result) {
    if (!result.bytes_visible) {
        fmt::print("bytes sent           unknown: this all-reduce has no schedule\n");
        return;
    }
    const auto [least, most] = std::ranges::minmax(result.bytes_sent);
    fmt::print("bytes sent per rank  {} to {} (scheduled on rank 0: {}, sent: {})\n", least, most,
               result.scheduled_bytes.front(), result.bytes_sent.front());
}

std::string words_of_numbers(const StepReport& report) {
    return fmt::format(" {:>9.4f} {:>9.2e} {:>8.3f}", report.loss, report.learning_rate,
                       report.gradient_norm);
}

/// A paced training learns nothing and has no peak: it has no columns of these.
void print_heads_of_steps(bool is_paced, bool counts_preempted) {
    fmt::print("{:>{}}   {:<{}}   share of rank 0's time, %\n", "", is_paced ? 9 : 38,
               "by rank 0's clock", is_paced ? 17 : 24);
    fmt::print("{:>6}{} {:>10}{} {:>9}  {:>8} {:>8} {:>6} {:>9}{}\n", "step",
               is_paced ? "" : fmt::format(" {:>9} {:>9} {:>8}", "loss", "rate", "norm"),
               "tokens/s", is_paced ? "" : "  MFU %", "time", "compute", "exposed", "data",
               "optimizer", counts_preempted ? " preempted" : "");
}

}  // namespace

bool counts_preempted(const TrainOptions& options) {
    return !options.pace && options.device == reference::DeviceKind::cpu;
}

void print_train_header(const TrainOptions& options, const Dataset& dataset,
                        const benchmarks::BusyPeak& peak, double paced_step_s) {
    const GptConfig& model = options.model;
    fmt::print("model    {}: {}, {}, {}, vocabulary {}; {} parameters\n", model.name,
               counted(model.layers, "layer"), counted(model.heads, "head"),
               counted(model.channels, "channel"), model.vocabulary, model.parameter_count());
    fmt::print("data     {}: {} tokens to train on, {} held out; XXH3 {}\n", dataset.source(),
               token_count(dataset.train()), token_count(dataset.validation()), dataset.hash());
    fmt::print("step     plan {}; {} of {}, {} at a time per rank\n", to_string(options.plan),
               counted(options.batch.global_batch, "sequence"),
               counted(options.batch.sequence, "token"), options.batch.micro_batch);
    if (options.plan.pipeline > 1) {
        fmt::print("stages   {} with {} micro-batches\n", options.pipeline.schedule,
                   options.micro_batches());
    }
    fmt::print("numbers  {}: {}\n", options.precision.name, options.precision.summary);
    if (options.device == reference::DeviceKind::cuda) {
        fmt::print("gpus     {}\n", in_words(collectives::used_gpus()));
    }
    fmt::print("reduce   {} in buckets of {}{}{}\n", options.communication.all_reduce,
               format_size(options.communication.bucket_bytes),
               options.communication.overlap ? ", overlapped" : "",
               options.reproducible ? ", exact FP64 sums" : "");
    fmt::print("{}\n\n", words_of_peak(options, peak, paced_step_s));
    print_heads_of_steps(options.pace.has_value(), counts_preempted(options));
    std::fflush(stdout);
}

TrainProgress::TrainProgress(const TrainOptions& options, const benchmarks::BusyPeak& peak,
                             std::int64_t log_every, ProgressLine& line)
    : steps_(options.steps),
      log_every_(log_every > 0 ? log_every
                               : std::max<std::int64_t>(1, options.steps / default_lines)),
      tokens_(static_cast<double>(options.batch.global_tokens())),
      model_(options.model),
      sequence_(options.batch.sequence),
      peak_flop_per_s_(peak.flop_per_s()),
      is_paced_(options.pace.has_value()),
      counts_preempted_(counts_preempted(options)),
      line_(&line) {}

double TrainProgress::mfu_percent(const StepReport& report) const {
    const double dropped = report.router ? report.router->dropped : 0.0;
    const double flop = tokens_ * training_flop_per_token(model_, sequence_, dropped);
    return 100.0 * flop / report.time_s / peak_flop_per_s_;
}

void TrainProgress::step(const StepReport& report) const {
    const auto done = [&] {
        return fmt::format("{} of {} done", report.step, counted(steps_, "step"));
    };
    if (report.step != 1 && report.step != steps_ && report.step % log_every_ != 0) {
        if (line_->due()) line_->say(done());
        return;
    }
    const auto percent = percent_of(report.phases);
    fmt::print("{:>6}{} {:>10.0f}{} {:>9}  {:>8.1f} {:>8.1f} {:>6.1f} {:>9.1f}{}\n", report.step,
               is_paced_ ? "" : words_of_numbers(report), tokens_ / report.time_s,
               is_paced_ ? "" : fmt::format(" {:>6.1f}", mfu_percent(report)),
               format_time(report.time_s), percent[0], percent[1], percent[2], percent[3],
               counts_preempted_ ? fmt::format(" {:>9.1f}", percent[4]) : "");
    std::fflush(stdout);
    line_->told(done());
}

void TrainProgress::within_step(std::int64_t step, std::size_t begun, std::size_t actions) const {
    if (!line_->due()) return;
    line_->say(
        fmt::format("step {} of {}: {} of {} actions started", step, steps_, begun, actions));
}

void TrainProgress::evaluation(const benchmarks::Evaluation& evaluation) const {
    fmt::print("{:>6} {:>9.4f} validation\n", evaluation.step, evaluation.loss);
    std::fflush(stdout);
    line_->told(fmt::format("{} of {} done", evaluation.step, counted(steps_, "step")));
}

void TrainProgress::not_finite(const benchmarks::NotFinite& found) const {
    fmt::print(
        "{:>6} gradient out of range: rank {}: {}{}\n", found.step, found.rank,
        found.where.empty() ? "a sum of gradients" : found.where,
        found.skipped ? fmt::format("; step skipped, loss scale was {}", found.loss_scale) : "");
    std::fflush(stdout);
}

void print_train_summary(const TrainOptions& options, const benchmarks::TrainingResult& result,
                         const benchmarks::Throughput& throughput) {
    fmt::print("\n");
    if (!options.pace) print_losses(result);
    if (result.last().router) print_router(*result.last().router);
    print_speed(options, throughput);
    if (result.gap) print_gap(*result.gap, throughput.step.median_s);
    print_gpus(options, result);
    print_memory(result);
    if (options.precision.name != Precision{}.name) {
        fmt::print("memory, {:<12} {}\n", options.precision.name,
                   benchmarks::saving_in_words(result.memory));
    }
    print_bytes(result);
    if (options.reproducible) {
        fmt::print("XXH3                 losses {}  gradients {}  parameters {}\n",
                   to_hex(result.hashes.losses), to_hex(result.hashes.gradients),
                   to_hex(result.hashes.parameters));
    }
    for (const auto& check : benchmarks::checks_of(options, result, throughput)) {
        fmt::print("{}  {} ({})\n", check.passed ? "passed" : "FAILED", check.name, check.detail);
    }
}

}  // namespace shardstone::command
