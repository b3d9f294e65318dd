// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <optional>
#include <string>

#include "reference/step/pricing/machine.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::command {

/// Of the device whose time computations take without being done.
struct PaceArguments {
    std::optional<double> gflop_per_s, memory_gb_per_s;
    std::optional<std::string> slow;  ///< "3:1.2": a rank, and how many times as long it takes
};

/// The flags that declare_pace() adds.
inline constexpr std::array pace_flags{"--pace", "--pace-memory", "--pace-slow"};

/// Options, without their dashes, that change how fast a device computes, and of which a pace,
/// which is that speed, takes no notice.
inline constexpr std::array hidden_by_pace{"precision"};

/// Adds them, as benchmarks::device_options() explains them; `arguments` must outlive the parsing.
void declare_pace(CLI::App& app, PaceArguments& arguments);

/// The device on so many ranks, if there is a pace. Throws Error for one of the others without it,
/// and for a slow rank that cannot be read or is not there.
std::optional<reference::Pace> pace_of(const PaceArguments& arguments, int ranks);

/// What a step of a paced training, which is valid, takes at most on this machine, by prediction:
/// all of it as many times as long as a slow rank is slow, and the input of each micro-batch.
/// Throws Error if that is over a year, which nobody waits for: the pace is wrong, or better priced
/// than slept through.
double paced_step_s(const reference::TrainOptions& options, const reference::Machine& machine);

/// The device in a line for the screen, and its longest predicted step.
std::string pace_line(const reference::Pace& pace, double step_s);

/// The title of a record of what may be paced: it says so.
std::string paced_title(const std::string& title, const std::optional<reference::Pace>& pace);

}  // namespace shardstone::command
