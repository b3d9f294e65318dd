// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/stall_watch.hpp"
#include "benchmarks/harness/watch.hpp"
#include "collectives/cluster/communicator.hpp"
#include "kernels/base/statistics.hpp"
#include "reference/data/dataset.hpp"
#include "reference/step/pricing/measured_passes.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::benchmarks {

/// Utilisation of the stages by pipeline schedules, by the wall clock: every rank is a stage.
struct PipelineStudy {
    reference::GptConfig model;
    std::int64_t micro_batch = 1;  ///< sequences per micro-batch, equal for all
    std::int64_t sequence = 128;
    std::vector<std::string> schedules;
    std::vector<std::int64_t> micro_batches;
    /// Maximum number of warm-up steps, which last until the times of all schedules have
    /// warmed_up(); of a paced study at most most_paced_warmup.
    std::int64_t most_warmup = 20;
    std::int64_t steps = 11;
    std::optional<reference::Pace> pace = {};  ///< passes take only the time of this device
    reference::DeviceKind device = reference::DeviceKind::cpu;  ///< of each stage

    std::int64_t warmup_limit() const;
};

/// A paced step has neither caches nor the clock of a core to warm, and one is like the next once
/// the ranks are connected and have touched their buffers: in 59 paced trainings on 2 to 32 ranks
/// the first step took 3.8 % and the second 2.9 % longer than the median of those from the fourth
/// on, in the median over the trainings, and the third 0.01 %.
inline constexpr std::int64_t most_paced_warmup = 2;

/// One schedule with one number of micro-batches per step. Utilisation is the share of the stages'
/// time in passes, from the first pass on any stage to the end of the last on any: norm, update and
/// loss are excluded, as in Timeline::utilisation.
struct PipelinePoint {
    std::string schedule;
    std::int64_t micro_batches = 0;
    std::vector<double> utilisations;  ///< measured, by step
    std::vector<double> spans_s;       ///< the times to which they refer
    std::vector<double> losses;        ///< by step, those of the warm-up first; none if paced
    std::int64_t warmup = 0;           ///< number of warm-up steps
    double median = 0.0;
    std::optional<Interval> interval;  ///< 95 %, for the median
    /// 1 - PipelineSchedule::bubble() for equal passes: m / (m + p - 1), or 1 / p for "naive".
    double formula = 0.0;
    double virtual_time = 0.0;  ///< passes priced at the measured rate of all, or at the pace
    Watched watched;            ///< all schedules of this number of micro-batches, in turns
    double replayed = 0.0;      ///< virtual time with the median time of every pass
    /// The step with the median utilisation, and the replayed one, by rank and action.
    std::vector<reference::StepProgram> programs;
    reference::StepSpans measured, replayed_spans;
};

/// All schedules with one number of micro-batches, measured in turns.
struct PipelineGroup {
    std::vector<PipelinePoint> points;
    std::vector<Stall> stalls;         ///< of every try; standstills of ranks, not of samples
    std::vector<RankPace> rank_times;  ///< of a rank's work in a turn, without waits
};

/// The training options of a point with this many stages. Not yet validated.
reference::TrainOptions pipeline_training(const PipelineStudy& study, int stages,
                                          const std::string& schedule, std::int64_t micro_batches);

/// Throws Error equally on all ranks if these ranks cannot run the study, before anything is
/// printed. Collective.
void require_possible(const collectives::Communicator& world, const PipelineStudy& study,
                      const reference::Dataset& dataset);

/// Trains with all schedules in turns, step by step, so that drift of the machine affects all
/// equally; if they were disturbed according to `watch`, or a rank stood still, all are repeated
/// (until_undisturbed()); `done` receives each group. Points are complete on rank 0 only.
/// If interrupts are caught (interrupt.hpp) and any rank received one, it ends there, without the
/// points of the unfinished number of micro-batches. `progress` receives the current measurement
/// and its progress in words, on every rank and after every turn.
/// The stages may be on several nodes (clock_origin()); predictions are for the links of one, and
/// between GPUs for none: messages take no time there. A GPU's passes are timed on its own clock.
/// Collective. Throws Error equally on all ranks.
std::vector<PipelinePoint> run_pipeline_study(
    collectives::Communicator& world, const PipelineStudy& study, const reference::Dataset& dataset,
    Watch& watch, const std::function<void(const PipelineGroup&)>& done,
    const std::function<void(const std::string&)>& progress = [](const std::string&) {});

}  // namespace shardstone::benchmarks
