// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "reference/precision/storage.hpp"
#include "reference/step/pricing/machine.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::command {

/// Command-line arguments of the machine on which a step is priced.
struct PricingArguments {
    std::filesystem::path cluster;          ///< a description in TOML; empty: one typical node
    std::optional<double> gflop_per_s;      ///< of a rank in passes
    std::optional<double> memory_gb_per_s;  ///< of a rank
};

/// Adds --cluster, --gflop-rate and --memory-rate; `arguments` must outlive the parsing.
void declare_pricing(CLI::App& app, PricingArguments& arguments, const std::string& group);

struct PricingMachine {
    reference::Machine machine;
    std::string rates_source;  ///< in words
};

/// The machine for this many ranks computing in this precision. Rates not given are measured on a
/// core of this machine, in less than half a second. Throws Error for a description that cannot be
/// read.
PricingMachine pricing_machine(const PricingArguments& arguments, int ranks,
                               const reference::Precision& precision);

/// Prints the groups, the placement, the memory of every rank by class, the predicted step and the
/// order of its turns; writes the predicted timeline to `timeline` unless that is empty. The
/// options must be valid. Local, without MPI. Throws Error if the plan does not fit the cluster or
/// the file cannot be written.
void print_dry_run(const reference::TrainOptions& options, const PricingMachine& on,
                   const std::filesystem::path& timeline);

}  // namespace shardstone::command
