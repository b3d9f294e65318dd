// SPDX-License-Identifier: BSD-3-Clause
// Pipeline schedules train in turns, one stage for each rank, to measure how full the stages are.
#include "benchmarks/training/pipeline_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "benchmarks/harness/clock_origin.hpp"
#include "benchmarks/harness/stopping.hpp"
#include "benchmarks/harness/tries.hpp"
#include "benchmarks/training/run/device_options.hpp"
#include "benchmarks/training/run/memory.hpp"
#include "benchmarks/training/run/stop_sign.hpp"
#include "benchmarks/training/run/trace.hpp"
#include "benchmarks/training/step_stalls.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/step/schedules/schedule.hpp"
#include "reference/trainer/paced_device.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace reference;
using collectives::Communicator;
using Progress = std::function<void(const std::string&)>;

/// One schedule while it is measured.
template <class Space>
struct PipelineContender {
    TrainOptions options;
    std::unique_ptr<Trainer<float, Space>> trainer;
    std::vector<double> losses;   ///< none where nothing is computed
    std::vector<double> times_s;  ///< of the steps, the slowest rank's
    std::vector<double> works_s;  ///< of the steps, this rank's, without what it waited
};

template <class Space>
PipelineContender<Space> contender(Communicator& world, const PipelineStudy& study,
                                   const Dataset& dataset, const std::string& schedule,
                                   std::int64_t micro_batches) {
    PipelineContender<Space> made;
    made.options = pipeline_training(study, world.size(), schedule, micro_batches);
    made.trainer = std::make_unique<Trainer<float, Space>>(
        world, made.options, dataset, checked_step_program(made.options, world.rank()));
    return made;
}

/// The step whose utilisation is the median, or next below it.
std::size_t median_step(const std::vector<double>& utilisations) {
    std::vector<std::size_t> order(utilisations.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return utilisations[i]; });
    return order[(order.size() - 1) / 2];
}

/// Model FLOP over the time in passes, of all steps.
double flop_rate(const TrainOptions& options, const PipelinePoint& point) {
    const double flop = training_flop_per_token(options.model, options.batch.sequence) *
                        static_cast<double>(options.batch.global_tokens());
    double busy_s = 0.0;
    for (std::size_t i = 0; i < point.spans_s.size(); ++i) {
        busy_s += point.spans_s[i] * point.utilisations[i] * options.plan.pipeline;
    }
    return flop * static_cast<double>(point.spans_s.size()) / busy_s;
}

/// Between devices that are as fast as what computed here: the typical links of one node between
/// cores; between GPUs, of which no links are typical, such that messages take no time.
Machine predicted_machine(const TrainOptions& options, const PipelinePoint& point) {
    if (options.pace) return paced_machine(options);
    const double flop_per_s = flop_rate(options, point);
    if (options.device == DeviceKind::cuda) {
        Machine machine =
            typical_node(options.plan.ranks(), flop_per_s, paced_bytes_per_flop * flop_per_s);
        machine.cluster.shared_memory.reset();
        machine.cluster.intra_node = collectives::LinkDescription();
        machine.cluster.intra_node.bandwidth_gb_s = std::numeric_limits<double>::infinity();
        return machine;
    }
    constexpr double memory_bytes_per_s = 10e9;  // of a busy core: only the embedding asks for it
    return typical_node(options.plan.ranks(), flop_per_s, memory_bytes_per_s);
}

void run_virtually(const TrainOptions& options, const std::vector<StepSpans>& steps,
                   PipelinePoint& point) {
    const Machine machine = predicted_machine(options, point);
    const PlanCosts costs(options, machine, memory_options(options.optimizer, sizeof(float)));
    point.virtual_time = run_in_virtual_time(options.plan, point.programs, costs).utilisation;
    Timeline replayed = run_in_virtual_time(options.plan, point.programs,
                                            MeasuredPasses(point.programs, steps, costs));
    point.replayed = replayed.utilisation;
    point.replayed_spans = std::move(replayed.spans);
}

template <class Space>
PipelinePoint judge(const PipelineContender<Space>& contender,
                    const std::vector<StepSpans>& steps) {
    const TrainOptions& options = contender.options;
    PipelinePoint point;
    point.schedule = options.pipeline.schedule;
    point.micro_batches = options.micro_batches();
    point.losses = contender.losses;
    point.programs = step_programs(options);
    for (const StepSpans& step : steps) {
        point.utilisations.push_back(measured_utilisation(point.programs, step));
        point.spans_s.push_back(measured_span_s(point.programs, step));
    }
    point.median = median(point.utilisations);
    point.interval = median_interval(point.utilisations);
    const PipelineShape shape{options.plan.pipeline, options.pipeline.chunks, point.micro_batches};
    point.formula = 1.0 - find_pipeline_schedule(point.schedule).bubble(shape, 1.0, 1.0, 1.0);
    run_virtually(options, steps, point);
    point.measured = steps[median_step(point.utilisations)];
    return point;
}

/// One step of each; false where a signal is to end the study.
template <class Space>
bool take_turns(const Communicator& world, std::vector<PipelineContender<Space>>& contenders,
                StopSign& sign) {
    for (PipelineContender<Space>& each : contenders) {
        const StepReport report = each.trainer->step();
        if (each.trainer->was_cut_short()) return false;
        if (!each.options.pace) each.losses.push_back(report.loss);
        each.times_s.push_back(world.max(report.time_s));
        each.works_s.push_back(work_of_step_s(report.phases));
    }
    return !sign.raised();
}

/// How many steps of each it took; the same on all ranks, as the times are. Nothing where a signal
/// came.
template <class Space>
std::optional<std::int64_t> warm_up(const Communicator& world, const PipelineStudy& study,
                                    std::vector<PipelineContender<Space>>& contenders,
                                    StopSign& sign, const Progress& progress) {
    const auto is_warm = [](const auto& each) { return warmed_up(each.times_s); };
    std::int64_t steps = 0;
    while (steps < study.warmup_limit() && !std::ranges::all_of(contenders, is_warm)) {
        if (!take_turns(world, contenders, sign)) return std::nullopt;
        progress(fmt::format("warming up, {} of {} steps at most", ++steps, study.warmup_limit()));
    }
    return steps;
}

/// What all schedules took of this rank, turn by turn; of the turns that count the median.
template <class Space>
double median_work_s(const std::vector<PipelineContender<Space>>& contenders, std::int64_t warmup) {
    std::vector<double> turns_s;
    for (auto i = static_cast<std::size_t>(warmup); i < contenders.front().works_s.size(); ++i) {
        turns_s.push_back(0.0);
        for (const auto& each : contenders) turns_s.back() += each.works_s[i];
    }
    return median(turns_s);
}

/// What a try gives on this rank.
struct MeasuredGroup {
    std::vector<PipelinePoint> points;
    double work_s = 0.0;
};

/// Nothing, on all ranks, where a signal came.
template <class Space>
std::optional<MeasuredGroup> measure_schedules(Communicator& world, const PipelineStudy& study,
                                               const Dataset& dataset, std::int64_t micro_batches,
                                               const Progress& progress) {
    std::vector<PipelineContender<Space>> contenders;
    for (const std::string& schedule : study.schedules) {
        contenders.push_back(contender<Space>(world, study, dataset, schedule, micro_batches));
    }
    const double origin_s = clock_origin(world);
    StopSign sign(world);
    const auto warmup = warm_up(world, study, contenders, sign, progress);
    if (!warmup) return std::nullopt;
    for (auto& each : contenders) each.trainer->record_trace();
    for (std::int64_t step = 0; step < study.steps; ++step) {
        if (!take_turns(world, contenders, sign)) return std::nullopt;
        progress(fmt::format("{} of {} steps measured", step + 1, study.steps));
    }
    MeasuredGroup group{{}, median_work_s(contenders, *warmup)};
    for (const auto& each : contenders) {
        std::vector<StepSpans> steps;
        for (std::int64_t step = 1; step <= study.steps; ++step) {
            steps.push_back(measured_spans(world, each.trainer->program(), each.trainer->trace(),
                                           *warmup + step, origin_s));
        }
        if (!world.is_root()) continue;
        group.points.push_back(judge(each, steps));
        group.points.back().warmup = *warmup;
    }
    return group;
}

std::optional<MeasuredGroup> measure_on_device(Communicator& world, const PipelineStudy& study,
                                               const Dataset& dataset, std::int64_t micro_batches,
                                               const Progress& progress) {
#ifdef SHARDSTONE_HAS_CUDA
    if (study.device == DeviceKind::cuda) {
        return measure_schedules<Cuda>(world, study, dataset, micro_batches, progress);
    }
#endif
    return study.pace ? measure_schedules<Paced>(world, study, dataset, micro_batches, progress)
                      : measure_schedules<Host>(world, study, dataset, micro_batches, progress);
}

}  // namespace

std::int64_t PipelineStudy::warmup_limit() const {
    return pace ? std::min(most_warmup, most_paced_warmup) : most_warmup;
}

TrainOptions pipeline_training(const PipelineStudy& study, int stages, const std::string& schedule,
                               std::int64_t micro_batches) {
    TrainOptions options;
    options.model = study.model;
    options.plan.pipeline = stages;
    options.batch = {.global_batch = study.micro_batch * micro_batches,
                     .micro_batch = study.micro_batch,
                     .sequence = study.sequence,
                     .shortest = 0};
    options.pipeline.schedule = schedule;
    options.communication.bucket_bytes = default_bucket_bytes(study.model.parameter_count());
    options.steps = study.warmup_limit() + study.steps;
    options.optimizer.warmup_steps = std::min(options.steps, options.optimizer.warmup_steps);
    options.eval_sequences = 0;
    options.pace = study.pace;
    options.device = study.device;
    return options;
}

void require_possible(const Communicator& world, const PipelineStudy& study,
                      const Dataset& dataset) {
    world.agree([&] {
        for (const std::string& schedule : study.schedules) {
            for (const std::int64_t m : study.micro_batches) {
                validate(pipeline_training(study, world.size(), schedule, m), world.size(),
                         dataset);
            }
        }
    });
}

std::vector<PipelinePoint> run_pipeline_study(
    Communicator& world, const PipelineStudy& study, const Dataset& dataset, Watch& watch,
    const std::function<void(const PipelineGroup&)>& done,
    const std::function<void(const std::string&)>& progress) {
    require_possible(world, study, dataset);
    std::vector<PipelinePoint> all;
    StallWatch pulses(world);
    for (const std::int64_t m : study.micro_batches) {
        std::optional<MeasuredGroup> best, tried;
        bool stopped = false;
        int tries_begun = 0;
        Tries tries = until_undisturbed(
            watch, pulses,
            [&] {
                if (stopped) return;
                ++tries_begun;
                const auto say = [&](const std::string& what) {
                    progress(fmt::format("{}, try {}: {}", counted(m, "micro-batch"), tries_begun,
                                         what));
                };
                tried = measure_on_device(world, study, dataset, m, say);
                stopped = !tried;
            },
            [&] { best = std::move(tried); });
        if (stopped) break;
        PipelineGroup group{std::move(best->points), std::move(tries.stalls),
                            pulses.rank_times(best->work_s, Surroundings::not_told)};
        for (PipelinePoint& point : group.points) point.watched = tries.watched;
        if (world.is_root()) done(group);
        std::ranges::move(group.points, std::back_inserter(all));
    }
    return all;
}

}  // namespace shardstone::benchmarks
