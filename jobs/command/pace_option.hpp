// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "reference/trainer/options.hpp"

namespace shardstone::command {

/// Of the device whose time computations take without being done.
struct PaceArguments {
    std::optional<double> gflop_per_s, memory_gb_per_s;
};

/// Adds --pace and --pace-memory, as benchmarks::pace_options() explains them; `arguments` must
/// outlive the parsing.
void declare_pace(CLI::App& app, PaceArguments& arguments);

/// The device, if there is a pace. Throws Error for a memory without one.
std::optional<reference::Pace> pace_of(const PaceArguments& arguments);

/// The device in a line for the screen.
std::string pace_line(const reference::Pace& pace);

/// The title of a record of what may be paced: it says so.
std::string paced_title(const std::string& title, const std::optional<reference::Pace>& pace);

}  // namespace shardstone::command
