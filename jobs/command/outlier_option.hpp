// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include "results/record/record.hpp"

namespace shardstone::command {

/// Adds --fail-on-outlier to a command that takes `samples` ("sample", "step") of its ranks.
CLI::Option* declare_fail_on_outlier(CLI::App& app, bool& wanted, const std::string& samples);

/// Prints the line of that option's check (benchmarks/harness/stall_record.hpp), if the record has
/// it, like other checks. Local; for rank 0.
void print_outlier_check(const results::Record& record);

/// If it failed, prints on stderr why the run ends with 1; to be called last. Local; for rank 0.
void say_failed_outlier_check(const results::Record& record);

}  // namespace shardstone::command
