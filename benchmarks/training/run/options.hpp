// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/trainer/options.hpp"

namespace shardstone::benchmarks {

/// One option of a training: its name and explanation on the command line, and its value in a
/// record.
struct TrainOption {
    std::string flag;   ///< "--global-batch"
    std::string group;  ///< its heading in the help
    std::string text;   ///< its line in the help
    std::string key;    ///< of its value in a record's configuration
    /// The value in force, including defaults; null if the option has no meaning, e.g. a loss scale
    /// in FP32.
    std::function<nlohmann::json(const reference::TrainOptions&)> value;
    /// The condition for its meaning; the option is refused without it. Empty: always meaningful.
    std::string needs = {};
};

/// All options, in the order of the help: the basis of commands, records and refusals.
const std::vector<TrainOption>& train_options();
/// The option with this flag, which must be one of them.
const TrainOption& train_option(const std::string& flag);

/// Throws Error if `flag` was given as `word` to a training in which it has no meaning.
void require_meaning(const std::string& flag, const std::string& word,
                     const reference::TrainOptions& options);

/// Every option by its key, and derived values: "parameters" and "peak_rate".
nlohmann::json to_json(const reference::TrainOptions& options);
/// Name, sizes and parameters of a model.
nlohmann::json to_json(const reference::GptConfig& model);

}  // namespace shardstone::benchmarks
