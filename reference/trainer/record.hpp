// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "reference/trainer/run.hpp"
#include "reference/trainer/throughput.hpp"
#include "results/format/record.hpp"

namespace shardstone::reference {

/// "the training diverged in step 12 (...)", of one that did.
std::string divergence_in_words(const TrainingResult& result);

/// What a run must show to be believed: a finite loss, gradients in range wherever they are
/// applied, replicas with identical parameters, bytes sent equal to the schedules' volume on every
/// rank (where it is visible), memory by class within 2 % of the formula, shards that stayed what
/// they were.
std::vector<results::Check> checks_of(const TrainingResult& result);
/// And of its speed: no share of what the cores can give is above 100 %.
std::vector<results::Check> checks_of(const TrainingResult& result, const Throughput& throughput);

/// Every option, defaults included; null where it is not in force, as a loss scale in FP32.
nlohmann::json to_json(const TrainOptions& options);
/// Name, sizes and parameters of a model.
nlohmann::json to_json(const GptConfig& model);
/// What was trained on: source, hash, vocabulary, tokens.
nlohmann::json to_json(const Dataset& dataset);

/// What a record of kind "train" says of the run before its first step.
nlohmann::json configuration_of(const TrainOptions& options, const Dataset& dataset);

/// What one step, or one evaluation, adds to such a record while the run goes on: a row of steps or
/// of evaluations.
results::Record part_of(const StepReport& step, const TrainOptions& options);
results::Record part_of(const Evaluation& evaluation);

/// The tables of a record of kind "train": rank_steps (samples), steps, summary, memory, bytes and,
/// where there were any, evaluations and hashes; and the verification.
void fill_record(results::Record& record, const TrainOptions& options, const TrainingResult& result,
                 const Throughput& throughput);

}  // namespace shardstone::reference
