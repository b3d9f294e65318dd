// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "reference/trainer/options.hpp"

namespace shardstone::command {

/// The words of a command line on how a step rounds.
struct PrecisionArguments {
    std::string name = "fp32";
    std::string gradient_wire = "full";
    std::optional<double> loss_scale;
    std::optional<std::int64_t> scale_growth;
    std::optional<std::string> overflow;
};

/// Adds them; `arguments` must outlive the parsing.
void declare_precision(CLI::App& app, PrecisionArguments& arguments);

/// Puts what they mean into the options. Throws Error for words that cannot be read.
void resolve_precision(const PrecisionArguments& arguments, reference::TrainOptions& options);

}  // namespace shardstone::command
