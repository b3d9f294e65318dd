// SPDX-License-Identifier: BSD-3-Clause
// `shardstone study`: one question, measured beside what should come out.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "benchmarks/training/pipeline_record.hpp"
#include "collectives/cluster/communicator.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/output_names.hpp"
#include "jobs/command/pace_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "jobs/command/study_batch_size.hpp"
#include "jobs/command/study_pace.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "reference/data/default_text.hpp"
#include "reference/step/drawing/timeline_svg.hpp"
#include "reference/trainer/paced_device.hpp"
#include "results/format/atomic_file.hpp"
#include "results/journal/resume.hpp"

namespace shardstone::command::study_command {

namespace {

using namespace benchmarks;
using collectives::Communicator;

constexpr const char* pipeline_details = R"(pipeline
  Utilisation of pipeline schedules: the share of the stages' time that they use. Every rank is a
  stage; a model of equal layers is trained with 1 to 16 micro-batches by the naive split, in which
  one stage is busy at a time, and by schedules that keep several micro-batches in flight.
  mpiexec -n 2 shardstone study pipeline
  mpiexec -n 2 shardstone study pipeline --schedules 1f1b,zb-h1 --micro-batches 4 --timeline t.svg
  mpiexec -n 2 shardstone study pipeline --json p.json --resume p.json.journal
  mpiexec -n 8 shardstone study pipeline --pace 20
  mpiexec -n 8 shardstone study pipeline --device cuda --channels 4096
  Stopped by SIGINT or SIGTERM it ends with 130 and an incomplete record, which --resume also accepts.
  Schedules are interleaved: all of them are measured together for each number of micro-batches, and
  a number that was not finished is discarded, here and in the journal. Before the first number is
  finished there is no record.

Columns of the table
  measured      share of the stages' wall-clock time spent in forward and backward passes, from the
                first pass on any stage to the last on any: median over steps, 95 % interval
  replayed      the same step program in the event engine, with every pass as long as its measured
                median and messages over the typical links of one node: the difference to the measured
                value is time lost to other work on this machine, or to the network between nodes
  virtual time  the same with passes priced by their FLOP, of which the stages have almost equal shares
  formula       for passes of equal length: m / (m + p - 1); 1 / p for the naive split
  /formula      measured over formula
  span          time from the first pass to the last
  !             other programs, or the hypervisor, took over 5 % of the cores meanwhile, in each of
                up to three tries, of which this is the quietest

With --device cuda every stage is a GPU: passes are timed on its own clock, and no GPU's links are
typical: in 'replayed' and 'virtual time' messages between them take no time.
More ranks than cores take time from one another, which no schedule can recover. With --pace the ranks
sleep instead of computing: utilisation is then that of the schedule and the messages, without losses.
How long all of it takes is predicted before it begins.
--pace-slow plants a slow stage, for which the others wait: 'measured' and 'replayed' have it, 'virtual'
and 'formula' do not. A slow input cannot be planted here: train --pace-input does it.)";

std::string details() {
    return fmt::format("{}\n\n{}\n\nExit code 1: a check failed. All codes: shardstone --help",
                       pipeline_details, batch_size_details);
}

struct PipelineArguments {
    PipelineStudy study{.model = {"pipeline-study", 256, 128, 0, 4, 256},
                        .schedules = {"naive", "gpipe", "1f1b"},
                        .micro_batches = {1, 2, 4, 8, 16}};
    std::int64_t layers_per_stage = 4;
    PaceArguments pace;
    std::string device = "cpu";
    std::filesystem::path timeline, json, hdf5;
    std::string resume;  ///< journal or record of the study that this one goes on from
};

PipelineStudy resolve(const PipelineArguments& arguments, int stages) {
    PipelineStudy study = arguments.study;
    require(study.steps > 0 && study.most_warmup >= 0 && arguments.layers_per_stage > 0, [&] {
        return fmt::format("--steps {}, --layers {}: give positive numbers", study.steps,
                           arguments.layers_per_stage);
    });
    study.model.layers = arguments.layers_per_stage * stages;
    study.pace = pace_of(arguments.pace, stages);
    study.device = reference::parse_device(arguments.device);
    study.model.heads = least_heads(study.device, study.model.channels, 4);
    return study;
}

void write_timeline(const PipelineStudy& study, const PipelinePoint& point,
                    const std::filesystem::path& path) {
    reference::ParallelPlan plan;
    plan.pipeline = static_cast<int>(point.programs.size());
    results::write_file(
        path,
        reference::timeline_svg(
            paced_title(fmt::format("{}, {} micro-batches", point.schedule, point.micro_batches),
                        study.pace),
            plan, point.programs,
            {{"predicted: every pass as long as its median", point.replayed_spans},
             {"measured: the step of median utilisation", point.measured}}));
}

/// `points` are those that were measured now, without those that the record had before.
int report(const PipelineArguments& arguments, const PipelineStudy& study,
           const std::vector<PipelinePoint>& points, const Watch& watch, results::Record& record) {
    const bool whole = complete_pipeline_record(study, record);
    if (!whole && measured_points(record) == 0) return end_without_record("measured");
    results::Record log;
    log.samples.push_back(surroundings_table(watch.log()));
    add_part(record, log);
    if (whole) {
        for (const results::Check& check : record.verification) {
            fmt::print("{}  {} ({})\n", check.passed ? "passed" : "FAILED", check.name,
                       check.detail);
        }
    }
    std::vector<Surroundings> of_points;
    for (const auto& point : points_in(record)) of_points.push_back(point.watched.surroundings);
    fmt::print("{}{}", disturbance_note(of_points, "row"),
               stall_note(results::rows_of<results::OutlierRow>(record)));
    write_each({[&] { write_record(record, arguments.json, arguments.hdf5); },
                [&] {
                    if (whole && !arguments.timeline.empty()) {
                        write_timeline(study, points.back(), arguments.timeline);
                    }
                }});
    if (whole) return record.verified() ? 0 : 1;
    const std::string done = progress_of(study, measured_points(record));
    say_failure(("stopped by SIGINT or SIGTERM: " + done).c_str(), /*with_rank=*/false);
    return number_of(ExitCode::interrupted);
}

/// The record as far as it goes before the first point; its journal is begun. For rank 0.
results::Record begin(const PipelineArguments& arguments, const PipelineStudy& study,
                      const std::string& title, const Communicator& world) {
    auto record = new_run_record("pipeline", paced_title(title, study.pace), world);
    begin_pipeline_record(study, world.size(), record);
    if (!arguments.resume.empty()) {
        continue_record(record, earlier_run(arguments.resume, record.kind).record,
                        arguments.resume);
        fmt::print("continues from {}: {}\n", arguments.resume,
                   progress_of(study, measured_points(record)));
    }
    begin_journal(record, progress_of(study, measured_points(record)), arguments.json,
                  arguments.hdf5);
    return record;
}

/// What of the study the record does not hold yet: it gets all schedules of a number of
/// micro-batches at once. Collective; the record is rank 0's.
PipelineStudy missing_in(const results::Record& record, const PipelineStudy& study,
                         const Communicator& world) {
    const auto points =
        static_cast<std::ptrdiff_t>(world.max(static_cast<double>(measured_points(record))));
    PipelineStudy missing = study;
    missing.micro_batches.erase(
        missing.micro_batches.begin(),
        missing.micro_batches.begin() + points / std::ssize(study.schedules));
    return missing;
}

void print_head(const PipelineArguments& arguments, const PipelineStudy& study,
                const PipelineStudy& missing, int stages) {
    fmt::print("{} stages of {} layers, {} channels; micro-batches of {} x {} tokens, FP32\n",
               stages, arguments.layers_per_stage, study.model.channels, study.micro_batch,
               study.sequence);
    if (study.pace) fmt::print("{}\n", study_pace_line(study, missing, stages));
    fmt::print("{} steps each after the warm-up (at most {}), schedules interleaved\n\n{}",
               study.steps, study.warmup_limit(), pipeline_heading());
}

/// What these ranks are asked for, and can do. Collective.
PipelineStudy study_on(Communicator& world, const PipelineArguments& arguments) {
    PipelineStudy study = world.agree([&] {
        require(world.size() > 1,
                "a single rank is no pipeline: start `study pipeline` with one rank per stage "
                "(mpiexec -n 2 ...)");
        if (world.is_root()) {
            require_outputs_writable({arguments.timeline, arguments.json, arguments.hdf5}, {},
                                     arguments.resume);
            require_output_for_resumed(arguments.resume, arguments.json, arguments.hdf5);
        }
        return resolve(arguments, world.size());
    });
    require_device(world, study.device);
    return study;
}

int run_pipeline(Communicator& world, const PipelineArguments& arguments) {
    const PipelineStudy study = study_on(world, arguments);
    const auto dataset = reference::default_dataset();
    require_possible(world, study, dataset);
    world.agree([&] {
        if (study.pace && world.is_root()) paced_study_times(study, world.size());
    });
    const auto title = title_on(world, study.device, "Utilisation of pipeline schedules");
    auto record = world.agree([&] {
        return world.is_root() ? begin(arguments, study, title, world) : results::Record{};
    });
    const PipelineStudy missing = missing_in(record, study, world);
    if (world.is_root()) {
        print_head(arguments, study, missing, world.size());
        fmt::print("{}", pipeline_rows(points_in(record), "earlier "));
        std::fflush(stdout);
    }
    catch_interrupts("this round of steps; this number of micro-batches is discarded");
    ProgressLine progress(world.is_root(), "starting");
    Watch watch(world);
    enter_phase("measuring");
    const auto points = run_pipeline_study(
        world, missing, dataset, watch,
        [&](const PipelineGroup& group) {
            fmt::print("{}", pipeline_rows(group.points));
            std::fflush(stdout);
            const results::Record part = part_of(group);
            add_part(record, part);
            add_to_journal(part, progress_of(study, measured_points(record)));
        },
        [&](const std::string& what) { progress.say(what); });
    end_health(world);
    const int code = world.agree(
        [&] { return world.is_root() ? report(arguments, study, points, watch, record) : 0; });
    return static_cast<int>(world.max(code));
}

void declare_pipeline(CLI::App& app, PipelineArguments& arguments) {
    PipelineStudy& study = arguments.study;
    app.add_option("--schedules", study.schedules, "schedules; see `shardstone train --help`")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--micro-batches", study.micro_batches, "numbers of micro-batches per step")
        ->delimiter(',')
        ->check(whole_number(1))
        ->capture_default_str();
    app.add_option("--layers", arguments.layers_per_stage, "transformer blocks per stage")
        ->capture_default_str();
    app.add_option("--channels", study.model.channels,
                   "width, a multiple of the 4 heads, or as many of 128 on GPUs")
        ->capture_default_str();
    app.add_option("--micro-batch", study.micro_batch, "sequences per micro-batch")
        ->capture_default_str();
    app.add_option("--device", arguments.device, "cpu: each stage a core; cuda: each a GPU")
        ->capture_default_str();
    declare_pace(app, arguments.pace);
    app.add_option("--steps", study.steps, "measured steps")->capture_default_str();
    app.add_option("--warmup", study.most_warmup,
                   "most warm-up steps; fewer once their times are steady, at most 2 where paced")
        ->capture_default_str();
    mark_output(app.add_option(
        "--timeline", arguments.timeline,
        "file for a timeline of the last schedule and number, predicted above measured, as SVG"));
    app.add_option("--json", arguments.json, "record as JSON");
    app.add_option("--hdf5", arguments.hdf5, "record as HDF5");
    declare_force(app);
    declare_resume(app, arguments.resume);
    // Of earlier points there is no timeline.
    app.get_option("--resume")->excludes("--timeline");
}

std::function<int()> declare(CLI::App& app) {
    app.require_subcommand(1);
    const auto arguments = std::make_shared<PipelineArguments>();
    declare_pipeline(*app.add_subcommand("pipeline", "Utilisation of pipeline schedules"),
                     *arguments);
    CLI::App& batch_size =
        *app.add_subcommand("batch-size", "Steps and tokens to a target loss, by batch size");
    return [arguments, &batch_size, run_batch_size = declare_batch_size(batch_size)] {
        if (batch_size.parsed()) return run_batch_size();
        return run_recorded([&](Communicator& world) { return run_pipeline(world, *arguments); });
    };
}

const Registration registration{
    {"study", "Compare measurements with theory: pipeline schedules, batch sizes", details(),
     declare}};

}  // namespace

}  // namespace shardstone::command::study_command
