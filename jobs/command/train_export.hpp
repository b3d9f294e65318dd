// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "benchmarks/training/run/run.hpp"

namespace shardstone::command {

/// Writes the final state of a training (TrainingResult::final_state, which must be present) in the
/// format of `shardstone export`: weight/NAME, gradient/NAME, first_moment/NAME,
/// second_moment/NAME; besides the sizes precision, steps, seed, the losses of all steps and
/// `data`, the training data.
void export_training(const std::filesystem::path& folder, const reference::TrainOptions& options,
                     const benchmarks::TrainingResult& result, const nlohmann::json& data);

}  // namespace shardstone::command
