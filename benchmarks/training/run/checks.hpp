// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/training/run/run.hpp"
#include "benchmarks/training/run/throughput.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// "the training diverged in step 12 (...)", for one that did.
std::string divergence_in_words(const TrainingResult& result);

/// Checks of a valid run: a finite loss, gradients in range wherever they are applied, replicas
/// with identical parameters, bytes sent equal to the schedules' volume on every rank (if it is
/// visible), memory by class within 2 % of the formula, unchanged shards. Of a paced run, those of
/// bytes, memory and shards.
std::vector<results::Check> checks_of(const reference::TrainOptions& options,
                                      const TrainingResult& result);
/// The same and, unless it is paced, checks of its speed: no fraction of the cores' peak is above
/// 100 %.
std::vector<results::Check> checks_of(const reference::TrainOptions& options,
                                      const TrainingResult& result, const Throughput& throughput);

}  // namespace shardstone::benchmarks
