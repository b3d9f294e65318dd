// SPDX-License-Identifier: BSD-3-Clause
// The options of every command that can be paced: computations take the time of a device.
#include "jobs/command/pace_option.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "benchmarks/training/run/device_options.hpp"
#include "benchmarks/training/run/options.hpp"
#include "jobs/command/number_option.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "reference/step/pricing/prediction.hpp"

namespace shardstone::command {

namespace {

/// "3:1.2"
void parse_slow(const std::string& text, int ranks, reference::Pace& pace) {
    const char* const end = text.data() + text.size();
    const auto [colon, error] = std::from_chars(text.data(), end, pace.slow_rank);
    const bool has_rank = error == std::errc{} && colon != end && *colon == ':';
    const auto rest = has_rank ? std::from_chars(colon + 1, end, pace.slow_factor)
                               : std::from_chars_result{colon, std::errc::invalid_argument};
    const bool is_read = rest.ec == std::errc{} && rest.ptr == end;
    require(is_read && pace.slow_factor > 1.0 && pace.slow_factor <= 1e6, [&] {
        return fmt::format(
            "--pace-slow '{}': give RANK:FACTOR with a factor above 1, and of 1e6 at most, for "
            "example 3:1.2",
            text);
    });
    require(pace.slow_rank >= 0 && pace.slow_rank < ranks, [&] {
        return fmt::format("--pace-slow {}: there are ranks 0 to {}", text, ranks - 1);
    });
}

}  // namespace

void declare_pace(CLI::App& app, PaceArguments& arguments) {
    const auto declare = [&](const char* flag, auto& value) {
        return app.add_option(flag, value, benchmarks::train_option(flag).text);
    };
    declare("--pace", arguments.gflop_per_s)->check(positive_number());
    declare("--pace-memory", arguments.memory_gb_per_s)->check(positive_number());
    declare("--pace-slow", arguments.slow);
}

std::optional<reference::Pace> pace_of(const PaceArguments& arguments, int ranks) {
    const auto& [gflop_per_s, memory_gb_per_s, slow] = arguments;
    if (!gflop_per_s) {
        if (memory_gb_per_s) {
            benchmarks::require_meaning("--pace-memory", fmt::format("{}", *memory_gb_per_s), {});
        }
        if (slow) benchmarks::require_meaning("--pace-slow", *slow, {});
        return std::nullopt;
    }
    constexpr double giga = 1e9;
    const double flop_per_s = giga * *gflop_per_s;
    reference::Pace pace{flop_per_s, memory_gb_per_s
                                         ? giga * *memory_gb_per_s
                                         : benchmarks::paced_bytes_per_flop * flop_per_s};
    require(std::isfinite(pace.flop_per_s) && std::isfinite(pace.memory_bytes_per_s), [&] {
        return fmt::format(
            "--pace {:g}: no device is so fast; give GFLOP/s, and GB/s for --pace-memory",
            *gflop_per_s);
    });
    if (slow) parse_slow(*slow, ranks, pace);
    return pace;
}

double paced_step_s(const reference::TrainOptions& options, const reference::Machine& machine) {
    constexpr double most_s = 365.0 * 24 * 3600;
    const auto memory = reference::memory_options(options);
    const reference::Pace& pace = *options.pace;
    const double step_s =
        pace.slow_factor * reference::price_step(options, machine, memory).prediction.step_s +
        static_cast<double>(options.micro_batches()) * pace.input_s;
    require(step_s <= most_s, [&] {
        return fmt::format(
            "--pace {:g}, --pace-memory {:g}: a step would take up to {:.3g} s by prediction, and "
            "the ranks sleep for that long: give a device on which it takes at most a year ({:g} "
            "s), "
            "or price the step without waiting for it (train --dry-run)",
            pace.flop_per_s * 1e-9, pace.memory_bytes_per_s * 1e-9, step_s, most_s);
    });
    return step_s;
}

std::string pace_line(const reference::Pace& pace, double step_s) {
    return fmt::format("PACED    {}; messages are real; predicted: steps of up to {}", pace.words(),
                       format_time(step_s));
}

std::string paced_title(const std::string& title, const std::optional<reference::Pace>& pace) {
    return pace ? fmt::format("{}, paced: {}", title, pace->words()) : title;
}

}  // namespace shardstone::command
