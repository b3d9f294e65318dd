// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "jobs/command/dry_run.hpp"
#include "jobs/command/pace_option.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::command {

/// The arguments of a `train` command line, and their combined meaning.
struct TrainArguments {
    std::string model = "tiny";
    std::optional<std::int64_t> layers, heads, channels, vocabulary, context;
    reference::ExpertOptions experts;
    std::optional<std::string> plan;
    std::optional<std::int64_t> micro_batch, micro_batches, sequence;
    std::string recompute = "none";
    std::string precision = "fp32", gradient_wire = "full";
    std::optional<double> loss_scale;
    std::optional<std::int64_t> scale_growth;
    std::optional<std::string> overflow;
    std::optional<std::string> memory_limit;
    bool dry_run = false, explain = false;
    PricingArguments pricing;
    std::filesystem::path timeline;  ///< empty: not written
    std::string optimizer = "adamw";
    std::optional<double> least_rate;
    std::string rate_shape = "cosine", rate_scaling = "none";
    std::optional<std::string> bucket_size;
    bool no_overlap = false;
    std::string device = "cpu";
    PaceArguments pace;
    std::optional<double> pace_input_ms;
    reference::TrainOptions options;  ///< values used as given
    /// The benchmarks::train_options() given on the command line, with their words.
    std::map<std::string, std::string> given;

    std::filesystem::path data;  ///< empty: the text in the program
    bool fail_on_outlier = false;
    std::int64_t log_every = 0;                         ///< 0: about twenty lines
    std::filesystem::path trace, json, hdf5, exported;  ///< empty: not written
};

/// The text of the help above the options.
extern const char* const train_details;

/// Adds all options of `train`; `arguments` must outlive the parsing.
void declare_train(CLI::App& app, TrainArguments& arguments);

/// The options in force on this many ranks, not yet validated against each other. Throws Error for
/// words that cannot be parsed and for those that have no meaning in combination with the others.
reference::TrainOptions resolve(const TrainArguments& arguments, int ranks);

}  // namespace shardstone::command
