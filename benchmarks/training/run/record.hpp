// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/training/run/options.hpp"
#include "benchmarks/training/run/run.hpp"
#include "benchmarks/training/run/throughput.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// The training data: source, hash, vocabulary, tokens.
nlohmann::json to_json(const reference::Dataset& dataset);

/// Configuration in a record of kind "train" before its first step.
nlohmann::json configuration_of(const reference::TrainOptions& options,
                                const reference::Dataset& dataset);

/// Contribution of one step, or one evaluation, to such a record during the run: a row of steps or
/// of evaluations.
results::Record part_of(const reference::StepReport& step, const reference::TrainOptions& options);
results::Record part_of(const Evaluation& evaluation);

/// Writes the tables of a record of kind "train": rank_steps (samples), steps, summary, memory,
/// bytes and, if there are any, evaluations and hashes; and the verification.
void fill_record(results::Record& record, const reference::TrainOptions& options,
                 const TrainingResult& result, const Throughput& throughput);

}  // namespace shardstone::benchmarks
