// SPDX-License-Identifier: BSD-3-Clause
// `shardstone train`: parse, agree on what to do, run, report.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "benchmarks/training/run/checks.hpp"
#include "benchmarks/training/run/memory.hpp"
#include "benchmarks/training/run/throughput.hpp"
#include "benchmarks/training/step_stalls.hpp"
#include "collectives/cluster/process.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/outlier_option.hpp"
#include "jobs/command/output_names.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/pace_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "jobs/command/train_check.hpp"
#include "jobs/command/train_export.hpp"
#include "jobs/command/train_options.hpp"
#include "jobs/command/train_output.hpp"
#include "jobs/command/train_pricing.hpp"
#include "kernels/base/available_memory.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/step/memory_fit.hpp"
#include "results/format/atomic_file.hpp"
#include "results/schema/training.hpp"

namespace shardstone::command::train_command {

namespace {

using namespace reference;
using collectives::Communicator;

void write_outputs(const TrainArguments& arguments, const TrainOptions& options,
                   const benchmarks::TrainingResult& result, const results::Record& record) {
    write_each({[&] { write_record(record, arguments.json, arguments.hdf5); },
                [&] {
                    if (arguments.trace.empty()) return;
                    results::write_file(arguments.trace, result.trace);
                },
                [&] {
                    if (arguments.exported.empty()) return;
                    const auto& data = record.configuration.at("data");
                    export_training(arguments.exported, options, result, data);
                }});
}

/// The run's summary says what it ran in. A training is not repeated: its windows are the log's.
void add_surroundings(const std::vector<benchmarks::Surroundings>& log,
                      const benchmarks::Surroundings& seen, results::Record& record) {
    auto rows = results::rows_of<results::TrainingRow>(record);
    for (auto& row : rows) benchmarks::put_watched({seen}, row);
    const auto& name = results::TrainingRow::schema.name();
    *std::ranges::find(record.derived, name, &results::Table::name) = results::table_of(rows);
    record.samples.push_back(surroundings_table(log));
}

/// A training, its speed, and what the machine did meanwhile.
struct Finished {
    benchmarks::TrainingResult result;
    benchmarks::Throughput throughput;
    benchmarks::Surroundings seen;
    std::vector<benchmarks::Surroundings> log;
    benchmarks::TrainingStalls stalls;
};

results::Record begun_record(const TrainOptions& options, const Dataset& dataset,
                             const Communicator& world) {
    const auto title = paced_title("Training of model " + options.model.name, options.pace);
    auto record = new_run_record("train", title, world);
    record.configuration = benchmarks::configuration_of(options, dataset);
    return record;
}

/// Prints and writes what rank 0 knows; the exit code is everybody's.
int report(const TrainArguments& arguments, const TrainOptions& options, const Dataset& dataset,
           const Finished& finished, const Communicator& world) {
    const auto& [result, throughput, seen, log, stalls] = finished;
    end_health(world);
    const bool verified = world.agree([&] {
        if (!world.is_root()) return true;
        const auto outliers = outlier_rows(stalls);
        auto record = begun_record(options, dataset, world);
        benchmarks::fill_record(record, options, result, throughput);
        add_surroundings(log, seen, record);
        add_stalls(stalls, record);
        if (arguments.fail_on_outlier) benchmarks::add_outlier_check(record);
        print_train_summary(options, result, throughput);
        print_outlier_check(record);
        fmt::print("{}{}", benchmarks::stall_note(outliers),
                   benchmarks::disturbance_note({seen}, "run"));
        write_outputs(arguments, options, result, record);
        say_failed_outlier_check(record);
        return record.verified();
    });
    return world.min(verified ? 1.0 : 0.0) > 0.0 ? 0 : 1;
}

/// Refuses what needs more of the host than it may take: of the limit that was given, or else of
/// what this rank's node has available.
void guard_memory(const TrainArguments& arguments, const TrainOptions& options,
                  const Communicator& world) {
    const MemoryOptions memory = memory_options(options);
    if (options.device == DeviceKind::cuda) return;  // which require_gpus_for() asks
    if (arguments.memory_limit) {
        require_fits_memory(options, memory, parse_size_bytes(*arguments.memory_limit));
    } else {
        const auto& topology = world.found_topology();
        require_fits_node(options, memory, topology.ranks_on(topology.node_of(world.rank())),
                          available_memory());
    }
}

/// Small models take a step in a millisecond: their rows go to the journal together.
void begin_journal(const TrainArguments& arguments, const TrainOptions& options,
                   const Dataset& dataset, const Communicator& world) {
    auto record = begun_record(options, dataset, world);
    constexpr std::chrono::milliseconds pace{50};
    command::begin_journal(record, "no step was done", arguments.json, arguments.hdf5, pace);
}

benchmarks::RunRequest request_of(const TrainArguments& arguments, const TrainOptions& options,
                                  const std::shared_ptr<TrainProgress>& progress,
                                  benchmarks::Watch& watch, const Communicator& world) {
    benchmarks::RunRequest request;
    request.options = options;
    request.trace = !arguments.trace.empty();
    request.keep_final_state = !arguments.exported.empty();
    if (!world.is_root()) return request;
    const auto done = [steps = options.steps](std::int64_t step) {
        return fmt::format("{} of {} done", step, counted(steps, "step"));
    };
    request.on_step = [progress, &watch, options, done](const auto& step) {
        progress->step(step);
        watch.lap();
        add_to_journal(benchmarks::part_of(step, options), done(step.step));
    };
    request.on_evaluation = [progress, done](const auto& evaluation) {
        progress->evaluation(evaluation);
        add_to_journal(benchmarks::part_of(evaluation), done(evaluation.step));
    };
    request.on_not_finite = [progress](const auto& n) { progress->not_finite(n); };
    request.on_progress = [progress](auto... where) { progress->within_step(where...); };
    return request;
}

/// The limit that was given stops what takes more all the same; it does not count what measures the
/// cores before and after.
benchmarks::TrainingResult run_within_limit(Communicator& world, const TrainArguments& arguments,
                                            const benchmarks::RunRequest& request,
                                            const Dataset& dataset) {
    if (arguments.memory_limit) {
        set_memory_limit_bytes(parse_size_bytes(*arguments.memory_limit));
    }
    auto result = benchmarks::run_training(world, request, dataset);
    set_memory_limit_bytes(0);
    return result;
}

int end_diverged(const benchmarks::TrainingResult& result, const Communicator& world) {
    if (world.is_root()) {
        const std::string reason = benchmarks::divergence_in_words(result);
        std::fflush(stdout);
        note_failure(reason.c_str(), ExitCode::diverged);
        say_failure(reason.c_str(), false);
    }
    return number_of(ExitCode::diverged);
}

/// Said by the rank that saw it; the record has it as a failed check.
int end_with_changed_data(const benchmarks::DataFate& data, const Communicator& world) {
    if (world.rank() == data.rank) {
        std::fflush(stdout);
        note_failure(data.words.c_str(), ExitCode::check_failed);
        say_failure(data.words.c_str(), world.size() > 1);
    }
    return number_of(ExitCode::check_failed);
}

void require_outputs(const TrainArguments& arguments) {
    require_names_apart({arguments.trace, arguments.json, arguments.hdf5, arguments.exported});
    std::vector<std::filesystem::path> outputs{arguments.trace, arguments.json, arguments.hdf5};
    if (arguments.exported.empty()) return require_outputs_writable(outputs);
    for (const char* name : {"tensors.bin", "tensors.json"}) {
        outputs.push_back(arguments.exported / name);
    }
    make_folder(arguments.exported, [&] { require_outputs_writable(outputs); });
}

/// Refuses what these ranks cannot do; returns the machine that the steps are explained on, if they
/// are to be. Collective.
std::optional<Machine> require_possible(const TrainArguments& arguments,
                                        const TrainOptions& options, const Dataset& dataset,
                                        const Communicator& world) {
    return world.agree([&] {
        require_device_can(arguments, options);
        validate(options, world.size(), dataset);
        if (options.device == DeviceKind::cuda) require_gpu();
        guard_memory(arguments, options, world);
        return arguments.explain ? std::optional(priced_on(arguments, options, world))
                                 : std::nullopt;
    });
}

/// On rank 0 the prediction of a step, where it is paced. Collective.
double require_pace(const TrainArguments& arguments, const TrainOptions& options,
                    const Communicator& world) {
    return world.agree([&] {
        const bool is_asked = options.pace && world.is_root();
        return is_asked ? paced_step_s(options, priced_on(arguments, options, world)) : 0.0;
    });
}

int train(Communicator& world, const TrainArguments& arguments) {
    const TrainOptions options = world.agree([&] { return resolve(arguments, world.size()); });
    world.agree([&] {
        if (world.is_root()) require_outputs(arguments);
    });
    const Dataset dataset = world.agree([&] { return open_training_data(arguments.data); });
    const auto explained_on = require_possible(arguments, options, dataset, world);
    require_gpus_for(options, world);
    const double paced_step_s = require_pace(arguments, options, world);
    benchmarks::StallWatch pulses(world);
    ProgressLine line(world.is_root(), "measuring the peak of what computes");
    const benchmarks::BusyPeak before = benchmarks::measure_peak(options, world);
    benchmarks::require_faultless(before, world);
    if (world.is_root()) print_train_header(options, dataset, before, paced_step_s);
    benchmarks::Watch watch(world);
    line.told("preparing the first step");
    benchmarks::RunRequest request = request_of(
        arguments, options,
        std::make_shared<TrainProgress>(options, before, arguments.log_every, line), watch, world);
    request.explained_on = explained_on;
    catch_interrupts("this step");
    world.agree([&] {
        if (world.is_root()) begin_journal(arguments, options, dataset, world);
    });
    watch.begin();
    Finished finished;
    finished.result = run_within_limit(world, arguments, request, dataset);
    if (finished.result.steps.empty()) return end_without_record(world, "measured");
    finished.seen = watch.end();
    finished.log = watch.log();
    finished.stalls = benchmarks::stalls_of(pulses, world.rank(), finished.result, finished.seen);
    line.say("measuring the peak of what computes again");
    const benchmarks::BusyPeak peak =
        benchmarks::better_of(before, benchmarks::measure_peak(options, world));
    finished.throughput = benchmarks::throughput_of(options, finished.result, peak);
    const int code = report(arguments, options, dataset, finished, world);
    if (finished.result.data.changed) return end_with_changed_data(finished.result.data, world);
    if (finished.result.diverged) return end_diverged(finished.result, world);
    return finished.result.steps_left > 0 ? number_of(ExitCode::interrupted) : code;
}

/// For any number of ranks, without them.
int dry_run(const TrainArguments& arguments) {
    const int ranks = parse_plan(arguments.plan.value_or("dp=1")).ranks();
    const TrainOptions options = resolve(arguments, ranks);
    validate(static_cast<const StepSpec&>(options));
    require_outputs_writable({arguments.timeline}, {arguments.pricing.cluster});
    require_memory_limit(arguments, options);
    print_dry_run(options, pricing_of(arguments, options), arguments.timeline);
    return 0;
}

std::function<void(int)> declare_check(CLI::App& app) {
    const auto arguments = std::make_shared<TrainArguments>();
    declare_train(app, *arguments);
    return [arguments](int ranks) { require_train_runs(*arguments, ranks); };
}

std::function<int()> declare(CLI::App& app) {
    const auto arguments = std::make_shared<TrainArguments>();
    declare_train(app, *arguments);
    return [arguments] {
        if (arguments->dry_run) return collectives::launcher_rank() == 0 ? dry_run(*arguments) : 0;
        return run_recorded([&](Communicator& world) { return train(world, *arguments); });
    };
}

const Registration registration{{"train", "Train a GPT on all ranks and verify the result",
                                 train_details, declare, RunsOn::all_ranks, declare_check}};

}  // namespace

}  // namespace shardstone::command::train_command
