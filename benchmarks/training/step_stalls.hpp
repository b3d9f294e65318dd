// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/harness/stall_watch.hpp"
#include "benchmarks/training/run/run.hpp"
#include "results/record/record.hpp"
#include "results/schema/stalls.hpp"

namespace shardstone::benchmarks {

/// Time of a rank's work in a step while its thread had a core: without communication and waits.
double work_of_step_s(const reference::StepPartTimes& phases);

/// Stalls of a training, and the relative times of its ranks.
struct TrainingStalls {
    std::vector<Stall> stalls;  ///< iteration i is step i + 1
    std::vector<RankPace> rank_times;
};

/// `pulses` were taken since before the first step; `seen` is the other activity of the machine.
/// Steps before the times settle (warmup_count()) are outliers only if a rank stood still.
/// Collective; equal on all ranks, except for hosts.
TrainingStalls stalls_of(StallWatch& pulses, int rank, const TrainingResult& result,
                         const Surroundings& seen);

/// Their rows of table "outliers".
std::vector<results::OutlierRow> outlier_rows(const TrainingStalls& found);

/// Tables "outliers" and "rank_times" of a training's record.
void add_stalls(const TrainingStalls& found, results::Record& record);

}  // namespace shardstone::benchmarks
