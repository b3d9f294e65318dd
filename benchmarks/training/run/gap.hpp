// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "reference/step/pricing/gap_split.hpp"
#include "reference/step/pricing/rank_waits.hpp"
#include "reference/step/pricing/what_if.hpp"
#include "reference/trainer/clock.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::benchmarks {

/// A step in which one thing is different.
struct ChangedStep {
    reference::StepChange change;
    double step_s = 0.0;       ///< mean over the split steps
    double predicted_s = 0.0;  ///< of the predicted step
};

/// What a prediction was made from.
struct PredictionBasis {
    std::string cluster, source;  ///< the name of the description, and its basis in words
    double flop_per_s = 0.0;      ///< of a rank in passes
    double memory_bytes_per_s = 0.0;
};

/// Where the time of a training's steps went, beside where it was predicted to go.
struct Gap {
    std::vector<reference::GapSplit> steps;  ///< measured, of the last steps
    reference::GapSplit predicted{};
    std::vector<ChangedStep> changed;
    PredictionBasis basis;

    /// Mean over the steps, part by part: they add up to the mean step.
    reference::GapSplit measured() const;
};

/// At most so many steps are split: each costs about as much as a dry run.
inline constexpr std::int64_t most_split_steps = 8;

/// What a rank has of a training's steps, for splitting them.
struct StepTraces {
    std::span<const reference::TraceEvent> events;  ///< of this rank, of all steps
    std::span<const reference::RankWaits> waits;    ///< likewise, step by step
    /// On rank 0 all ranks' times of loading, step by step and within a step rank by rank. (Of
    /// paced devices the time is known, and this is their hosts'.)
    std::span<const double> input_s;
    double origin_s = 0.0;  ///< one moment on this rank's clock (clock_origin())
};

/// Splits the last of `steps` steps (most_split_steps of them; of fewer than 16 the last half, as
/// the first are not steady), and the predicted step. On rank 0; nothing elsewhere. Collective.
std::optional<Gap> split_gap(const collectives::Communicator& communicator,
                             const reference::TrainOptions& options,
                             const reference::Machine& machine,
                             const reference::StepProgram& program, const StepTraces& traces,
                             std::int64_t steps);

}  // namespace shardstone::benchmarks
