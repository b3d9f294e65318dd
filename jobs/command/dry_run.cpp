// SPDX-License-Identifier: BSD-3-Clause
// Predicts and prints a training step without running it: groups, memory, time, bytes and order.
#include "jobs/command/dry_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "benchmarks/harness/watch.hpp"
#include "benchmarks/training/run/memory.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/progress.hpp"
#include "kernels/base/units.hpp"
#include "kernels/roofline/roofline.hpp"
#include "reference/step/drawing/order.hpp"
#include "reference/step/drawing/timeline_svg.hpp"
#include "reference/step/pricing/prediction.hpp"
#include "results/format/atomic_file.hpp"
#include "results/report/words.hpp"

namespace shardstone::command {

namespace {

using namespace reference;

/// What passes reach of a core's measured peak with the models here, as an assumption.
constexpr double assumed_efficiency = 0.5;

/// GFLOP/s of passes when none are given: what most of them are, products, may be faster or slower
/// in the storage type.
double assumed_flop_per_s(const Precision& precision) {
    if (precision.fp64) return assumed_efficiency * measured_fp64_peak_flop_s();
    const double speedup = with_storage<float>(precision.storage, []<class S>(S) {
        if constexpr (is_narrow<S>) return measured_product_speedup<S>();
        return 1.0;
    });
    return assumed_efficiency * measured_peak_flop_s() * speedup;
}

struct MachineSpeed {
    double flop_per_s = 0.0, memory_bytes_per_s = 0.0;
    benchmarks::Surroundings surroundings;  ///< of what was measured, where anything was
};

MachineSpeed speed_of(const PricingArguments& arguments, const Precision& precision) {
    constexpr std::int64_t working_set_bytes = std::int64_t{64} << 20;
    constexpr double giga = 1e9;
    const auto speed = [&] {
        return MachineSpeed{
            arguments.gflop_per_s ? *arguments.gflop_per_s * giga : assumed_flop_per_s(precision),
            arguments.memory_gb_per_s ? *arguments.memory_gb_per_s * giga
                                      : measured_bandwidth_b_s(working_set_bytes),
            {}};
    };
    if (arguments.gflop_per_s && arguments.memory_gb_per_s) return speed();
    benchmarks::Watch watch;
    MachineSpeed tried, best;
    const auto watched = watch.until_quiet([&] { tried = speed(); }, [&] { best = tried; });
    best.surroundings = watched.surroundings;
    return best;
}

constexpr int most_listed_groups = 16;
constexpr int most_listed_ranks = 64;
constexpr int most_listed_turns = 8;

void print_head(const TrainOptions& options, const PricingMachine& on) {
    const auto& cluster = on.machine.cluster;
    fmt::print(
        "plan      {}: {}; {} of {} of {} each\n", to_string(options.plan),
        counted(options.plan.ranks(), "rank"), counted(options.micro_batches(), "micro-batch"),
        counted(options.batch.micro_batch, "sequence"), counted(options.batch.sequence, "token"));
    if (options.plan.pipeline > 1) {
        fmt::print("schedule  {}, {} per stage\n", options.pipeline.schedule,
                   counted(options.pipeline.chunks, "chunk"));
    }
    fmt::print("model     {}: {} parameters, recompute {}\n", options.model.name,
               options.model.parameter_count(), to_string(options.recompute));
    fmt::print("cluster   {}: {} of {}; {}: {}\n", cluster.name, counted(cluster.nodes, "node"),
               counted(cluster.ranks_per_node, "rank"),
               cluster.measured ? "measured" : "not measured", cluster.source);
    fmt::print("rates     {} in passes and {:.4g} GB/s of memory per rank; {}\n",
               results::flop_rate_text(on.machine.flop_per_s * 1e-9),
               on.machine.memory_bytes_per_s * 1e-9, on.rates_source);
}

void print_groups(const ParallelPlan& plan) {
    fmt::print("\ngroups (a rank is in one of each)\n");
    for (const GroupKind& kind : group_kinds()) {
        if (kind == GroupKind::world) continue;
        std::vector<std::string> groups;
        for (int rank = 0; rank < plan.ranks(); ++rank) {
            const RankGroup group(plan, kind, rank);
            if (group.first() != rank || group.size() == 1) continue;
            groups.push_back(fmt::format("{{{}}}", fmt::join(group.members(), ",")));
        }
        if (groups.empty()) continue;
        const std::size_t count = groups.size();
        groups.resize(std::min<std::size_t>(count, most_listed_groups));
        fmt::print("  {:<11} {:>3}: {}{}\n", to_string(kind), count, fmt::join(groups, " "),
                   groups.size() < count ? " ..." : "");
    }
}

std::string layers_of(const ModelPart& part) {
    std::string text;
    for (const ModelChunk& chunk : part.chunks) {
        if (!text.empty()) text += " ";
        if (chunk.embedding) text += "e+";
        text += fmt::format("{}-{}", chunk.first_layer, chunk.first_layer + chunk.layers - 1);
        if (chunk.head) text += "+h";
    }
    return text;
}

void print_ranks(const TrainOptions& options, const Machine& machine) {
    const MemoryOptions memory = memory_options(options);
    fmt::print(
        "\nranks: coordinates in the plan, layers (e embedding, h head), predicted memory\n");
    fmt::print("  {:>4} {:>4}", "rank", "node");
    for (const MeshAxis& axis : mesh_axes) fmt::print(" {:>8}", axis.name);
    fmt::print("  {:<14}", "layers");
    for (const PredictedClass& each : predicted_memory(options, 0, memory)) {
        fmt::print(" {:>12}", each.name);
    }
    fmt::print(" {:>12}\n", "total");
    const int listed = std::min(options.plan.ranks(), most_listed_ranks);
    for (int rank = 0; rank < listed; ++rank) {
        const Coordinates at = coordinates_of(options.plan, rank);
        fmt::print("  {:>4} {:>4}", rank, machine.node_of(rank));
        for (const MeshAxis& axis : mesh_axes) fmt::print(" {:>8}", at.*axis.place);
        fmt::print("  {:<14}", layers_of(part_of(options, rank)));
        const auto classes = predicted_memory(options, rank, memory);
        for (const PredictedClass& each : classes) fmt::print(" {:>12}", format_size(each.bytes));
        fmt::print(" {:>12}\n", format_size(total_bytes(classes)));
    }
    if (listed < options.plan.ranks()) fmt::print("  ... up to {}\n", options.plan.ranks() - 1);
    if (options.precision.name == Precision{}.name) return;
    fmt::print("  {} on rank 0 is {}\n", options.precision.name,
               benchmarks::saving_in_words(benchmarks::predicted_beside_fp32(options, 0, memory)));
}

std::string percents(const std::vector<double>& shares) {
    std::vector<std::string> words;
    for (const double share : shares) words.push_back(format_fixed(100.0 * share, 1));
    return fmt::format("{} %", fmt::join(words, " "));
}

void print_time(const StepPrediction& step) {
    const auto line = [&](const std::string& name, double part_s) {
        fmt::print("  {:<24} {:>10}  {:>5} %\n", name, format_time(part_s),
                   format_fixed(100.0 * part_s / step.step_s, 1));
    };
    fmt::print("\npredicted step: {} (parts: mean over ranks)\n", format_time(step.step_s));
    line("passes", step.split.passes_s);
    for (const GroupKind& kind : group_kinds()) {
        if (step.split.exposed_s[kind] == 0.0) continue;
        line("exposed, " + to_string(kind), step.split.exposed_s[kind]);
    }
    line("waiting for others", step.split.idle_s);
    line("norm and update", step.split.optimizer_s);
    fmt::print("  utilisation {:.1f} % up to the last pass; bubble by stage {}\n",
               100.0 * step.utilisation, percents(step.bubble));
    fmt::print("  most micro-batches in flight by stage: {}\n", fmt::join(step.peak_live, " "));
}

void print_bytes(const SentTraffic& sent) {
    fmt::print("\nbytes sent by all ranks in a step\n");
    fmt::print("  {:<11} {:>16} {:>16}\n", "group", "inside nodes", "between nodes");
    collectives::Traffic total;
    const auto row = [](const std::string& name, const collectives::Traffic& traffic) {
        fmt::print("  {:<11} {:>16.0f} {:>16.0f}\n", name, traffic.inside_node_bytes,
                   traffic.between_nodes_bytes);
    };
    for (const GroupKind& kind : group_kinds()) {
        total += sent[kind];
        if (sent[kind].bytes() > 0.0) row(to_string(kind), sent[kind]);
    }
    row("total", total);
}

void print_order(const TrainOptions& options) {
    fmt::print(
        "\norder of passes (F forward, B backward, of length 2, or its input half, W weight half, "
        "of "
        "length 1)\n{}",
        order_of_passes(options));
    const std::int64_t stage_passes = options.micro_batches() * options.plan.pipeline;
    if (options.plan.pipeline > 1 && stage_passes <= most_listed_turns) {
        fmt::print("\norder of events\n{}", order_of_events(options));
    }
}

void write_timeline(const TrainOptions& options, const PricedStep& step,
                    const std::filesystem::path& path) {
    results::write_file(
        path, timeline_svg(fmt::format("One step of {}, plan {}, {}", options.model.name,
                                       to_string(options.plan), options.pipeline.schedule),
                           options.plan, step.programs, {{"predicted", step.timeline.spans}}));
    fmt::print("\n{}: the predicted timeline\n", path.string());
}

}  // namespace

void declare_pricing(CLI::App& app, PricingArguments& arguments, const std::string& group) {
    app.add_option(
           "--cluster", arguments.cluster,
           "description (jobs/clusters) of the cluster on which to price a step (default: one "
           "node with typical links)")
        ->group(group);
    app.add_option(
           "--gflop-rate", arguments.gflop_per_s,
           "GFLOP/s of a rank in passes (default: half the measured peak of a core here, times the "
           "measured speed of products in the precision relative to FP32)")
        ->check(positive_number())
        ->group(group);
    app.add_option("--memory-rate", arguments.memory_gb_per_s,
                   "GB/s of a rank's memory (default: measured on a core here)")
        ->check(positive_number())
        ->group(group);
}

PricingMachine pricing_machine(const PricingArguments& arguments, int ranks,
                               const Precision& precision) {
    const MachineSpeed speed = speed_of(arguments, precision);
    PricingMachine on{typical_node(ranks, speed.flop_per_s, speed.memory_bytes_per_s), {}};
    if (!arguments.cluster.empty())
        on.machine.cluster = collectives::read_cluster(arguments.cluster);
    on.rates_source = fmt::format(
        "{}{}, {}", arguments.gflop_per_s ? "the first as given" : "half a core's measured peak",
        !arguments.gflop_per_s && precision.storage != Storage::full
            ? fmt::format(" times the measured speed of {} products relative to FP32",
                          to_string(precision.storage))
            : "",
        arguments.memory_gb_per_s ? "the second as given" : "a core's measured bandwidth");
    if (speed.surroundings.disturbed()) {
        on.rates_source +=
            fmt::format(" ! measured while {}: give --gflop-rate and --memory-rate, or try again",
                        speed.surroundings.words());
    }
    return on;
}

void print_dry_run(const TrainOptions& options, const PricingMachine& on,
                   const std::filesystem::path& timeline) {
    const PricedStep step = [&] {
        const ProgressLine line(
            true, fmt::format("pricing a step of {}", counted(options.plan.ranks(), "rank")));
        return price_step(options, on.machine, memory_options(options));
    }();
    print_head(options, on);
    print_groups(options.plan);
    print_ranks(options, on.machine);
    print_time(step.prediction);
    print_bytes(step.prediction.sent);
    print_order(options);
    if (!timeline.empty()) write_timeline(options, step, timeline);
}

}  // namespace shardstone::command
