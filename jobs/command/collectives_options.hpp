// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include "benchmarks/collectives/sweep/options.hpp"

namespace shardstone::command {

/// The options of `shardstone collectives` that say what is measured, and how.
void declare_sweep(CLI::App& app, benchmarks::SweepOptions& options);

}  // namespace shardstone::command
