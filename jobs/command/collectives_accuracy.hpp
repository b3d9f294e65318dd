// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/collectives/accuracy/plan.hpp"

namespace shardstone::command {

/// `shardstone collectives --accuracy`: accuracy of sums, instead of speed.
struct AccuracyRequest {
    bool wanted = false;
    benchmarks::AccuracyOptions options;
    /// Options of the sweep that the study ignores, and their replacements.
    std::vector<std::pair<const CLI::Option*, std::string>> ignored;
};

/// Adds its options; those of the sweep, which are already declared, must outlive the request.
void declare_accuracy(CLI::App& app, AccuracyRequest& request);

/// What is asked for. Throws Error if it is none, or an option was given that would be ignored.
benchmarks::AccuracyPlan asked_accuracy(const AccuracyRequest& request,
                                        const benchmarks::SweepOptions& chosen);

/// Returns the exit code: 1 if an error exceeds its bound or results differ that must be bitwise
/// equal. Throws Error as asked_accuracy().
int run_accuracy(const AccuracyRequest& request, const benchmarks::SweepOptions& chosen);

}  // namespace shardstone::command
