// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "benchmarks/training/run/data_watch.hpp"
#include "benchmarks/training/run/gap.hpp"
#include "benchmarks/training/run/gpu_watch.hpp"
#include "benchmarks/training/run/memory.hpp"
#include "collectives/cluster/communicator.hpp"
#include "reference/data/dataset.hpp"
#include "reference/step/volume.hpp"
#include "reference/trainer/model_state.hpp"
#include "reference/trainer/options.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::benchmarks {

struct Evaluation {
    std::int64_t step = 0;
    double loss = 0.0;
};

/// A step whose gradients were not all in range (finite, and small enough for their squares to be
/// summed), and the position: in a gradient computed by `rank`, or else in a sum over ranks that it
/// owns.
struct NotFinite {
    std::int64_t step = 0;
    int rank = 0;
    std::string where;     ///< "blocks.0.mlp.expansion.weight[17] is inf"
    bool skipped = false;  ///< the update was skipped
    double loss_scale = 1.0;
};

/// XXH3 over the losses (FP64) and over the fingerprints of the reduced gradients before clipping
/// of all steps, and the fingerprint of the final parameters: independent of the layout. Those of
/// gradients and parameters are 0 unless requested (only in --reproducible runs).
struct TrainingHashes {
    std::uint64_t losses = 0;
    std::uint64_t gradients = 0;
    std::uint64_t parameters = 0;
};

/// Times of one step on one rank, by its own clocks; the sum of the phases is time_s.
struct RankStep {
    double time_s = 0.0;
    double waited_s = 0.0;  ///< StepReport::waited_s
    reference::StepPartTimes phases{};
};

/// Results of a training run; equal on all ranks unless stated otherwise.
struct TrainingResult {
    /// Per step: time_s is the maximum over ranks, the phases are means over ranks; begin_s is
    /// this rank's own.
    std::vector<reference::StepReport> steps;
    std::vector<RankStep> rank_steps;  ///< step by step, within a step rank by rank
    double duration_s = 0.0;           ///< all steps and evaluations, the maximum over ranks
    std::int64_t steps_left = 0;       ///< not done; 0: it is complete
    bool diverged = false;             ///< in its last step, after which it ended
    DataFate data;                     ///< of the shards; if they change, the training ends
    std::vector<Evaluation> evaluations;
    std::vector<NotFinite> not_finite;  ///< without `where` on other ranks than 0
    std::optional<double> entropy_rate_nats;
    TrainingHashes hashes;
    /// Final parameters held by several ranks are equal; not told by a paced training.
    bool replicas_identical = false;
    std::vector<MemoryClass> memory;  ///< of rank 0
    std::int64_t graphs_made = 0;  ///< of steps, where the GPU is given graphs: 1 if all are alike
    GpuLogs gpus;                  ///< on rank 0
    std::vector<std::int64_t> bytes_sent;       ///< per rank, counted
    std::vector<std::int64_t> scheduled_bytes;  ///< per rank, from the schedules
    reference::SentBytes bytes_by_group{};      ///< of rank 0, counted
    bool bytes_visible = false;  ///< false for an all-reduce without a visible schedule
    std::string trace;           ///< Chrome trace on rank 0 if requested, else empty
    std::optional<Gap> gap;      ///< on rank 0 if requested
    /// State after the last step on rank 0 if requested, else nothing, in the type of the
    /// computation.
    std::variant<std::monostate, reference::ModelState<float>, reference::ModelState<double>>
        final_state;

    const reference::StepReport& last() const { return steps.back(); }
    double final_loss() const { return last().loss; }
    std::optional<double> validation_loss() const;
};

struct RunRequest {
    reference::TrainOptions options;
    bool trace = false;
    /// Where to price what the steps are split by; nothing: they are not split.
    std::optional<reference::Machine> explained_on = {};
    bool keep_final_state = false;
    /// Called after each step with this rank's report, and after each evaluation.
    std::function<void(const reference::StepReport&)> on_step = [](const reference::StepReport&) {};
    std::function<void(const Evaluation&)> on_evaluation = [](const Evaluation&) {};
    std::function<void(const NotFinite&)> on_not_finite = [](const NotFinite&) {};
    /// Called within step `step`, with the number of actions of its program started and their
    /// total.
    std::function<void(std::int64_t step, std::size_t begun, std::size_t actions)> on_progress =
        [](std::int64_t, std::size_t, std::size_t) {};
};

/// Trains from the first step to the last, or to the one in which it diverges: its loss is a NaN,
/// or a gradient that was applied was out of range. If interrupts are caught (interrupt.hpp) and
/// any rank received one, it ends at most a few steps later; a long step of a paced training is cut
/// short, and is not in the result, which may then have none (and nothing else). Shards are checked
/// for changes after evaluations and at the end; a rank that needs changed tokens throws at once.
/// Collective; options must be valid. Throws Error equally on all ranks for failures of the
/// preparation, and on one rank (ending the job) for failures on it.
TrainingResult run_training(collectives::Communicator& communicator, const RunRequest& request,
                            const reference::Dataset& dataset);

}  // namespace shardstone::benchmarks
