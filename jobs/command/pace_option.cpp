// SPDX-License-Identifier: BSD-3-Clause
// The options of every command that can be paced: computations take the time of a device.
#include "jobs/command/pace_option.hpp"

#include <fmt/format.h>

#include "benchmarks/training/run/options.hpp"
#include "benchmarks/training/run/pace_options.hpp"
#include "jobs/command/number_option.hpp"

namespace shardstone::command {

void declare_pace(CLI::App& app, PaceArguments& arguments) {
    const auto declare = [&](const char* flag, std::optional<double>& value) {
        app.add_option(flag, value, benchmarks::train_option(flag).text)->check(positive_number());
    };
    declare("--pace", arguments.gflop_per_s);
    declare("--pace-memory", arguments.memory_gb_per_s);
}

std::optional<reference::Pace> pace_of(const PaceArguments& arguments) {
    const auto& [gflop_per_s, memory_gb_per_s] = arguments;
    if (!gflop_per_s) {
        if (memory_gb_per_s) {
            benchmarks::require_meaning("--pace-memory", fmt::format("{}", *memory_gb_per_s), {});
        }
        return std::nullopt;
    }
    constexpr double giga = 1e9;
    const double flop_per_s = giga * *gflop_per_s;
    return reference::Pace{flop_per_s, memory_gb_per_s
                                           ? giga * *memory_gb_per_s
                                           : benchmarks::paced_bytes_per_flop * flop_per_s};
}

std::string pace_line(const reference::Pace& pace) {
    return fmt::format("PACED    {}; messages are real", pace.words());
}

std::string paced_title(const std::string& title, const std::optional<reference::Pace>& pace) {
    return pace ? fmt::format("{}, paced: {}", title, pace->words()) : title;
}

}  // namespace shardstone::command
