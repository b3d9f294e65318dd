// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/collectives/accuracy/plan.hpp"

namespace shardstone::command {

/// `shardstone collectives --accuracy`: how well sums are added up, in place of how fast.
struct AccuracyRequest {
    bool wanted = false;
    benchmarks::AccuracyOptions options;
    /// Options of the sweep that the study does not heed, and what to give instead.
    std::vector<std::pair<const CLI::Option*, std::string>> ignored;
};

/// Adds its options; those of the sweep, which are declared already, must outlive the request.
void declare_accuracy(CLI::App& app, AccuracyRequest& request);

/// Returns the exit code: 1 when an error is beyond its bound or bits differ that should not.
/// Throws Error where an option was given that it would ignore.
int run_accuracy(const AccuracyRequest& request, const benchmarks::SweepOptions& chosen);

}  // namespace shardstone::command
