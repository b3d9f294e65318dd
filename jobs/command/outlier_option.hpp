// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include "results/record/record.hpp"

namespace shardstone::command {

/// Adds --fail-on-outlier to a command that takes `samples` ("sample", "step") of its ranks.
CLI::Option* declare_fail_on_outlier(CLI::App& app, bool& wanted, const std::string& samples);

/// Of a record that has the check of that option (benchmarks/harness/stall_record.hpp) its line, as
/// other checks are printed. Local; for rank 0.
void print_outlier_check(const results::Record& record);

/// Where it failed, why the run ends with 1: on stderr, for after all else. Local; for rank 0.
void say_failed_outlier_check(const results::Record& record);

}  // namespace shardstone::command
