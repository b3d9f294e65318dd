// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/training/run/options.hpp"
#include "benchmarks/training/run/run.hpp"
#include "benchmarks/training/run/throughput.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// "the training diverged in step 12 (...)", of one that did.
std::string divergence_in_words(const TrainingResult& result);

/// What a run must show to be believed: a finite loss, gradients in range wherever they are
/// applied, replicas with identical parameters, bytes sent equal to the schedules' volume on every
/// rank (where it is visible), memory by class within 2 % of the formula, shards that stayed what
/// they were.
std::vector<results::Check> checks_of(const TrainingResult& result);
/// And of its speed: no share of what the cores can give is above 100 %.
std::vector<results::Check> checks_of(const TrainingResult& result, const Throughput& throughput);

/// What was trained on: source, hash, vocabulary, tokens.
nlohmann::json to_json(const reference::Dataset& dataset);

/// What a record of kind "train" says of the run before its first step.
nlohmann::json configuration_of(const reference::TrainOptions& options,
                                const reference::Dataset& dataset);

/// What one step, or one evaluation, adds to such a record while the run goes on: a row of steps or
/// of evaluations.
results::Record part_of(const reference::StepReport& step, const reference::TrainOptions& options);
results::Record part_of(const Evaluation& evaluation);

/// The tables of a record of kind "train": rank_steps (samples), steps, summary, memory, bytes and,
/// where there were any, evaluations and hashes; and the verification.
void fill_record(results::Record& record, const reference::TrainOptions& options,
                 const TrainingResult& result, const Throughput& throughput);

}  // namespace shardstone::benchmarks
