// SPDX-License-Identifier: BSD-3-Clause
// The option --stall-after of all commands that run ranks.
#include "jobs/command/stall_option.hpp"

#include <fmt/format.h>

#include <charconv>

#include "collectives/watchdog/last_words.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::command {

namespace {

std::optional<collectives::StallLimits> limits_of(const std::string& text) {
    if (text == "off") return std::nullopt;
    constexpr double least_s = 1.0, most_s = 1e6;
    double seconds = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || !(seconds >= least_s && seconds <= most_s)) {
        throw CLI::ValidationError(
            "--stall-after",
            fmt::format("'{}': give {:g} to {:g} seconds, or off", text, least_s, most_s));
    }
    return collectives::StallLimits::all(seconds);
}

}  // namespace

void declare_stall_after(CLI::App& app) {
    const auto children = app.get_subcommands([](const CLI::App*) { return true; });
    for (CLI::App* child : children) declare_stall_after(*child);
    if (!children.empty()) return;
    const collectives::StallLimits usual;
    app.add_option_function<std::string>(
           "--stall-after",
           [](const std::string& text) { collectives::set_stall_limits(limits_of(text)); },
           fmt::format(
               "Seconds after which a rank that makes no progress is named and the job ends with "
               "{}, "
               "or off (default: {:g} for a stopped process, {:g} for a silent node, {:g} or ten "
               "times the longest pause so far where all ranks wait; never under a debugger)",
               number_of(ExitCode::stalled), usual.stopped_s, usual.silent_s, usual.standing_s))
        ->type_name("SECONDS|off");
}

}  // namespace shardstone::command
