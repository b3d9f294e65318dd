// SPDX-License-Identifier: BSD-3-Clause
// `shardstone collectives`: measures, checks and predicts collectives over a range of sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "benchmarks/collectives/calibration/calibrate.hpp"
#include "benchmarks/collectives/sweep/findings.hpp"
#include "benchmarks/collectives/sweep/list.hpp"
#include "benchmarks/collectives/sweep/record.hpp"
#include "benchmarks/collectives/sweep/resume.hpp"
#include "benchmarks/collectives/sweep/sweep.hpp"
#include "benchmarks/collectives/sweep/table.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/cluster/waiting.hpp"
#include "collectives/device/devices.hpp"
#include "jobs/command/collectives_accuracy.hpp"
#include "jobs/command/collectives_help.hpp"
#include "jobs/command/collectives_options.hpp"
#include "jobs/command/collectives_screen.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/outlier_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"
#include "results/journal/recover.hpp"
#include "results/journal/resume.hpp"

namespace shardstone::command::collectives_command {

namespace {

using namespace benchmarks;

struct Request {
    SweepOptions options;
    AccuracyRequest accuracy;
    bool list = false;
    bool names_operations = false;  ///< --op was given
    std::string resume;             ///< journal or record of the sweep that this one goes on from
};

/// What was found of all points, those of an earlier sweep too, on the screen and in the record's
/// files.
void tell(const Sweep& result, const SweepOptions& options, const collectives::Communicator& world,
          results::Record& record) {
    print_on_root(world, findings(result));
    end_health(world);
    world.agree([&] {
        if (!world.is_root()) return;
        print_outlier_check(record);
        write_record(record, options.json_path, options.hdf5_path);
        say_failed_outlier_check(record);
    });
}

void require_outputs(const Request& request, const collectives::Communicator& world) {
    const SweepOptions& options = request.options;
    world.agree([&] {
        if (!world.is_root()) return;
        require_outputs_writable({options.json_path, options.hdf5_path}, {options.cluster_path},
                                 request.resume);
        require_output_for_resumed(request.resume, options.json_path, options.hdf5_path);
    });
}

/// The description given, whose links are between what the vectors are in.
collectives::ClusterDescription described_in(const SweepOptions& options) {
    auto cluster = collectives::read_cluster(options.cluster_path);
    const std::string option = "--cluster " + options.cluster_path;
    collectives::require_links_between(options.on_gpus(), cluster, option);
    require(!options.on_gpus() || cluster.gpus, [&] {
        return fmt::format(
            "{} with --device cuda: it does not say over what its messages go between GPUs, as "
            "what shardstone calibrate --device cuda measures does",
            option);
    });
    return cluster;
}

/// On rank 0, which has the names of the GPUs.
void require_as_real(const std::string& given, const collectives::ClusterDescription& cluster) {
    const bool emulated = are_emulated(collectives::used_gpus());
    require(!cluster.gpus || cluster.gpus->emulated == emulated, [&] {
        return fmt::format(
            "--cluster {}: it was measured on {} GPUs, and these are {}: calibrate these", given,
            emulated ? "real" : "emulated", emulated ? "emulated" : "real");
    });
}

/// That of the earlier sweep, which between GPUs may have had none.
void declare_earlier(const Request& request, const results::Record& earlier,
                     collectives::Communicator& world) {
    const std::string& given = request.options.cluster_path;
    const std::string text =
        world.broadcast(world.is_root() ? earlier.configuration.value(cluster_field, "") : "");
    world.agree([&] {
        require(!text.empty() || given.empty(), [&] {
            return fmt::format("--cluster {}: '{}' has no predictions: omit --cluster", given,
                               request.resume);
        });
    });
    if (text.empty()) return;
    world.declare_cluster(world.agree([&] {
        const auto cluster = collectives::parse_cluster(text, request.resume);
        if (world.is_root()) require_same_cluster(given, cluster, request.resume);
        return cluster;
    }));
}

void declare_given(const SweepOptions& options, collectives::Communicator& world) {
    const auto cluster = world.agree([&] {
        auto described = described_in(options);
        if (world.is_root()) require_as_real(options.cluster_path, described);
        return described;
    });
    world.declare_cluster(cluster);
    if (cluster.measured && cluster.shared_cores == collectives::Waiter::own_core()) {
        print_on_root(
            world, fmt::format("# {} was measured with ranks that {}, unlike these: calibrate "
                               "again\n",
                               options.cluster_path,
                               cluster.shared_cores ? "share cores" : "have cores of their own"));
    }
    print_on_root(world, cluster_line(world.cluster()));
}

/// What predictions, and "auto", go by: the description given, or that of the earlier sweep, or
/// else one of this machine that takes seconds to make, as far as this sweep needs it; then also
/// what that was measured in.
std::optional<WatchedCalibration> declare_cluster(const Request& request, const SweepPlan& plan,
                                                  const results::Record& earlier,
                                                  collectives::Communicator& world) {
    if (!request.resume.empty()) {
        declare_earlier(request, earlier, world);
    } else if (!request.options.cluster_path.empty()) {
        declare_given(request.options, world);
    } else if (!request.options.on_gpus() && world.size() == 1) {
        print_on_root(world, cluster_line(world.cluster()));
    } else if (!request.options.on_gpus()) {
        enter_phase("calibrating");
        ProgressLine progress(world.is_root(), "calibrating first (not needed with --cluster)");
        const auto found = calibrate_watched(world, calibration_for(plan), [&](const auto& what) {
            progress.say("calibrating first (not needed with --cluster): " + what);
        });
        world.declare_cluster(found.cluster);
        print_on_root(world, calibration_lines(found));
        return found;
    }
    return std::nullopt;
}

/// The record as far as it goes before the first point; its journal is begun.
results::Record begin(const Request& request, const SweepPlan& plan, const results::Record& earlier,
                      const std::optional<WatchedCalibration>& calibration,
                      const collectives::Communicator& world) {
    const SweepOptions& options = request.options;
    const auto watched = calibration ? std::optional(calibration->watched) : std::nullopt;
    auto record = begin_record(options, plan, world, watched, command_line());
    if (calibration) results::add_part(record, part_of(*calibration));
    add_surroundings(record, world);
    world.agree([&] {
        if (!world.is_root()) return;
        if (!request.resume.empty()) {
            // What predictions go by came with the earlier record; --cluster need not be given
            // again.
            continue_record(record, earlier, request.resume, {"cluster"});
            require_planned(plan);
            record.configuration["cluster"] = earlier.configuration.value("cluster", "");
        }
        begin_journal(record, progress_of(plan.finished.size(), points_of(plan, world.size())),
                      options.json_path, options.hdf5_path);
    });
    return record;
}

int sweep(const Request& request, SweepPlan plan, collectives::Communicator& world) {
    const SweepOptions& options = request.options;
    if (options.ranks_per_node > 0) {
        const auto blocked = collectives::Topology::blocked(world.size(), options.ranks_per_node);
        world.declare_topology(blocked);
    }
    world.agree([&] { fit_plan(options, world.topology(), plan); });
    print_on_root(world, leave_out_impossible(options, world, plan));
    if (options.on_gpus()) {
        print_on_root(world, fmt::format("# {}\n", in_words(collectives::used_gpus())));
    }
    const double sharing = world.max(static_cast<double>(collectives::used_gpus().most_sharing));
    world.agree([&] { require_gpu_memory(options, plan, static_cast<int>(sharing)); });
    require_outputs(request, world);
    const auto earlier = world.agree([&] {
        return world.is_root() ? earlier_run(request.resume, "collectives").record
                               : results::Record{};
    });
    plan.finished = finished_points(world.broadcast(finished_points_text(earlier)));
    const auto calibration = declare_cluster(request, plan, earlier, world);
    results::Record record = begin(request, plan, earlier, calibration, world);
    const std::size_t points = points_of(plan, world.size());
    const std::string begun = progress_of(plan.finished.size(), points);
    if (!request.resume.empty()) {
        print_on_root(world, fmt::format("# continues from {}: {}\n", request.resume, begun));
        if (!options.on_gpus() || world.cluster().gpus) {
            print_on_root(world, cluster_line(world.cluster()));
        }
    }
    const auto before = world.is_root() ? points_in(earlier, options) : std::vector<SweepPoint>{};
    const SweepExtent extent{points, plan.finished.size(), before};
    ProgressLine progress(world.is_root(), begun);
    catch_interrupts("this point");
    enter_phase("point", static_cast<std::int64_t>(extent.finished) + 1);
    Sweep result = run_sweep(world, options, plan, observer_of(options, world, progress, extent));
    if (result.interrupted && plan.finished.empty() && result.points.empty()) {
        return end_without_record(world, "measured");
    }
    complete_record(result, options, record);
    add_earlier(before, result);
    tell(result, options, world, record);
    if (result.interrupted) return number_of(ExitCode::interrupted);
    return world.min(std::ranges::all_of(record.verification, &results::Check::passed)) > 0 ? 0 : 1;
}

/// Of everything, where --op does not say what of.
int print_list(const Request& request) {
    if (collectives::launcher_rank() != 0) return 0;
    SweepOptions options = request.options;
    if (!request.names_operations) options.operations = {"all"};
    std::fputs(list_of_algorithms(options).c_str(), stdout);
    return 0;
}

int run(const Request& request) {
    if (request.list) return print_list(request);
    if (request.accuracy.wanted) return run_accuracy(request.accuracy, request.options);
    const SweepPlan plan = plan_sweep(request.options);
    return run_recorded([&](auto& world) { return sweep(request, plan, world); });
}

std::shared_ptr<Request> declare_request(CLI::App& app) {
    auto request = std::make_shared<Request>();
    declare_sweep(app, request->options);
    declare_resume(app, request->resume);
    app.get_option("--resume")->excludes("--noise-floor");
    CLI::Option* list = app.add_flag("--list", request->list,
                                     "List operations (--op) and their algorithms, then exit");
    for (const char* ignored : {"--json", "--hdf5", "--cluster", "--resume", "--fail-on-outlier"}) {
        list->excludes(app.get_option(ignored));
    }
    declare_accuracy(app, request->accuracy);
    app.get_option("--accuracy")->excludes("--resume")->excludes("--fail-on-outlier");
    return request;
}

/// What any ranks so many would refuse.
void require_runs(const Request& request, int ranks) {
    const SweepOptions& options = request.options;
    const SweepPlan plan = request.accuracy.wanted ? asked_accuracy(request.accuracy, options).sweep
                                                   : plan_sweep(options);
    require_root(plan, ranks);
    if (!options.cluster_path.empty()) described_in(options);
}

std::function<void(int)> declare_check(CLI::App& app) {
    return [request = declare_request(app)](int ranks) { require_runs(*request, ranks); };
}

std::function<int()> declare(CLI::App& app) {
    const auto request = declare_request(app);
    return [request, op = app.get_option("--op")] {
        request->names_operations = op->count() > 0;
        return run(*request);
    };
}

const Registration registration({"collectives",
                                 "Measure, check and predict collectives over a range of sizes",
                                 collectives_help, declare, RunsOn::all_ranks, declare_check});

}  // namespace

}  // namespace shardstone::command::collectives_command
