// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/trainer/options.hpp"

namespace shardstone::benchmarks {

/// One option of a training: how a command line names and explains it, and its value in a record.
struct TrainOption {
    std::string flag;   ///< "--global-batch"
    std::string group;  ///< the heading that the help has it under
    std::string text;   ///< the line of the help
    std::string key;    ///< of its value in a record's configuration
    /// The value in force, defaults included; null where the option has no meaning, as a loss scale
    /// in FP32.
    std::function<nlohmann::json(const reference::TrainOptions&)> value;
    /// What gives it a meaning; one that is given without that is refused. Empty: everything does.
    std::string needs = {};
};

/// All of them, in the order of the help: what commands declare, records hold and refusals go by.
const std::vector<TrainOption>& train_options();
/// By its flag, which must be one of them.
const TrainOption& train_option(const std::string& flag);

/// Throws Error where `flag` was given as `word` to a training in which it has no meaning.
void require_meaning(const std::string& flag, const std::string& word,
                     const reference::TrainOptions& options);

/// Every option by its key, beside what follows from them: "parameters" and "peak_rate".
nlohmann::json to_json(const reference::TrainOptions& options);
/// Name, sizes and parameters of a model.
nlohmann::json to_json(const reference::GptConfig& model);

}  // namespace shardstone::benchmarks
