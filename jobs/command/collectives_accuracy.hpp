// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include "benchmarks/collectives/accuracy/plan.hpp"

namespace shardstone::command {

/// `shardstone collectives --accuracy`: how well sums are added up, in place of how fast.
struct AccuracyRequest {
    bool wanted = false;
    benchmarks::AccuracyOptions options;
};

/// Adds its options, and lets it be refused together with those of the sweep that it would ignore,
/// which are declared already.
void declare_accuracy(CLI::App& app, AccuracyRequest& request);

/// Returns the exit code: 1 when an error is beyond its bound or bits differ that should not.
int run_accuracy(const AccuracyRequest& request, const benchmarks::SweepOptions& chosen);

}  // namespace shardstone::command
