// SPDX-License-Identifier: BSD-3-Clause
// `shardstone train`: parse, agree on what to do, run, report.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "benchmarks/harness/watch_record.hpp"
#include "collectives/cluster/session.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/train_options.hpp"
#include "jobs/command/train_output.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"
#include "kernels/roofline/roofline.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/data/repository_text.hpp"
#include "reference/step/memory_fit.hpp"
#include "reference/trainer/memory.hpp"
#include "results/format/atomic_file.hpp"
#include "results/schema/training.hpp"

namespace shardstone::command {

namespace {

using namespace reference;
using collectives::Communicator;

/// Cores that the ranks can keep busy at once, nodes being alike.
int busy_cores(const Communicator& world) {
    const auto cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    int busy = 0;
    for (int node = 0; node < world.topology().nodes(); ++node) {
        busy += std::min(cores, static_cast<int>(world.topology().ranks_on(node).size()));
    }
    return busy;
}

/// Peak of all cores in use: rank 0 measures one while the others wait.
double peak_of(const Communicator& world, int cores) {
    return cores * world.max(world.is_root() ? measured_peak_flop_s() : 0.0);
}

Dataset open_data(const Communicator& world, const std::filesystem::path& folder) {
    if (folder.empty()) return shared_repository_text(world, SHARDSTONE_SOURCE_DIR);
    return world.agree([&] { return Dataset::open(folder); });
}

void write_outputs(const TrainArguments& arguments, const std::string& trace,
                   const results::Record& record) {
    if (!arguments.trace.empty()) {
        results::AtomicFile file(arguments.trace);
        file.write(trace);
        file.commit();
    }
    write_record(record, arguments.json, arguments.hdf5);
}

/// The run's summary says what it ran in. A training is not repeated: its windows are the log's.
void add_surroundings(const benchmarks::Watch& watch, const benchmarks::Surroundings& seen,
                      results::Record& record) {
    auto rows = results::rows_of<results::TrainingRow>(record);
    for (auto& row : rows) benchmarks::put_watched({seen}, row);
    const auto& name = results::TrainingRow::schema.name();
    *std::ranges::find(record.derived, name, &results::Table::name) = results::table_of(rows);
    record.samples.push_back(surroundings_table(watch.log()));
}

/// Prints and writes what rank 0 knows; the exit code is everybody's.
int report(const TrainArguments& arguments, const TrainOptions& options,
           const TrainingResult& result, double peak_flop_per_s, benchmarks::Watch& watch,
           const Communicator& world) {
    const auto seen = watch.end();
    const bool verified = world.agree([&] {
        if (!world.is_root()) return true;
        const Throughput throughput = throughput_of(options, result, peak_flop_per_s);
        print_train_summary(options, result, throughput);
        fmt::print("{}", benchmarks::disturbance_note({seen}, "run"));
        auto record = new_run_record("train", "Training of model " + options.model.name, world);
        fill_record(record, options, result, throughput);
        add_surroundings(watch, seen, record);
        write_outputs(arguments, result.trace, record);
        return record.verified();
    });
    return world.min(verified ? 1.0 : 0.0) > 0.0 ? 0 : 1;
}

/// Refuses what needs more, and stops what takes more all the same.
void set_limit(std::int64_t limit_bytes, const TrainOptions& options) {
    require_fits_memory(options, memory_options(options.optimizer, sizeof(float)), limit_bytes);
    set_memory_limit_bytes(limit_bytes);
}

int train(Communicator& world, const TrainArguments& arguments) {
    const TrainOptions options = world.agree([&] { return resolve(arguments, world.size()); });
    world.agree([&] {
        if (!world.is_root()) return;
        require_outputs_writable({arguments.trace, arguments.json, arguments.hdf5});
    });
    const Dataset dataset = open_data(world, arguments.data);
    world.agree([&] {
        validate(options, world.size(), dataset);
        if (arguments.memory_limit) set_limit(parse_size_bytes(*arguments.memory_limit), options);
    });
    const int cores = busy_cores(world);
    const double peak_flop_per_s = peak_of(world, cores);

    benchmarks::Watch watch(world);
    RunRequest request{options, !arguments.trace.empty()};
    if (world.is_root()) {
        print_train_header(options, dataset, peak_flop_per_s, cores);
        const auto progress =
            std::make_shared<TrainProgress>(options, peak_flop_per_s, arguments.log_every);
        request.on_step = [progress, &watch](const auto& step) {
            progress->step(step);
            watch.lap();
        };
        request.on_evaluation = [progress](const auto& e) { progress->evaluation(e); };
        request.on_not_finite = [progress](const auto& n) { progress->not_finite(n); };
    }
    catch_interrupts();
    watch.begin();
    const TrainingResult result = run_training(world, request, dataset);
    const int code = report(arguments, options, result, peak_flop_per_s, watch, world);
    return result.steps_left > 0 ? interrupted_code : code;
}

/// For any number of ranks, without them.
int dry_run(const TrainArguments& arguments) {
    const int ranks = parse_plan(arguments.plan.value_or("dp=1")).ranks();
    const TrainOptions options = resolve(arguments, ranks);
    validate(static_cast<const StepSpec&>(options));
    require_outputs_writable({arguments.timeline}, {arguments.pricing.cluster});
    if (arguments.memory_limit) {
        require_fits_memory(options, memory_options(options.optimizer, sizeof(float)),
                            parse_size_bytes(*arguments.memory_limit));
    }
    print_dry_run(options, pricing_machine(arguments.pricing, ranks, options.precision.storage),
                  arguments.timeline);
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto arguments = std::make_shared<TrainArguments>();
    declare_train(app, *arguments);
    return [arguments] {
        const bool speaks = collectives::launcher_rank() == 0;
        if (arguments->dry_run) return speaks ? dry_run(*arguments) : 0;
        return run_recorded([&](Communicator& world) { return train(world, *arguments); });
    };
}

const Registration registration{
    {"train", "train a GPT on all ranks and prove what came out",
     "Trains on token shards ('shardstone data') or, by default, on this repository's own text.\n"
     "The loss is the mean over the tokens of the global batch, in nats. The time of a step is\n"
     "split into compute, communication that compute did not hide, data and optimizer. MFU is\n"
     "model FLOP/s over the measured peak of the cores in use. At the end: memory by class beside\n"
     "its formula, bytes sent beside the schedules' volume, and the checks that a record needs.\n"
     "A plan splits the model over ranks: dp replicas x tp tensor ranks x pp stages, ZeRO over "
     "the\n"
     "replicas; every plan trains the same model ('shardstone validate equivalence').\n"
     "  mpiexec -n 4 shardstone train --model tiny --plan dp=4 --global-batch 16 --steps 50\n"
     "  mpiexec -n 8 shardstone train --plan dp=2,tp=2,pp=2,zero=1 --micro-batches 8 --steps 50\n"
     "  mpiexec -n 8 shardstone train --reproducible --global-batch 24 --trace step.trace.json\n"
     "  shardstone train --model gpt2-124m --sequence 256 --global-batch 4 --steps 10",
     declare}};

}  // namespace

}  // namespace shardstone::command
