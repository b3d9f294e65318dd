// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "reference/trainer/run.hpp"
#include "results/format/record.hpp"

namespace shardstone::reference {

/// Speed of a run, and what it is held against.
struct Throughput {
    double tokens_per_s = 0.0;  ///< of all ranks, at the median step
    double flop_per_s = 0.0;    ///< model FLOP (training_flop_per_token) at that speed
    /// One core's measured FP32 peak times the cores that the ranks can keep busy: never more
    /// cores than there are, however many ranks share them.
    double peak_flop_per_s = 0.0;

    double mfu() const { return flop_per_s / peak_flop_per_s; }
};

Throughput throughput_of(const TrainOptions& options, const TrainingResult& result,
                         double peak_flop_per_s);

/// What a run must show to be believed: a finite loss, finite gradients wherever they are applied,
/// replicas with identical parameters, bytes sent equal to the schedules' volume on every rank
/// (where it is visible), memory by class within 2 % of the formula.
std::vector<results::Check> checks_of(const TrainingResult& result);

/// Every option in force, defaults included.
nlohmann::json to_json(const TrainOptions& options);

/// The tables of a record of kind "train": steps, summary, memory, bytes and, where there were any,
/// evaluations; configuration and verification filled in. `record` is fresh (new_record).
void fill_record(results::Record& record, const TrainOptions& options, const TrainingResult& result,
                 const Throughput& throughput);

}  // namespace shardstone::reference
