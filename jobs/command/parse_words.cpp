// SPDX-License-Identifier: BSD-3-Clause
// Parses a command line that is to be run later, so that a mistake in it is told now.
#include "jobs/command/parse_words.hpp"

#include <algorithm>
#include <map>

#include "jobs/command/command.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/parse_error.hpp"
#include "jobs/command/stall_option.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::command {

namespace {

const CLI::App* innermost_named(const CLI::App& app) {
    const auto named = app.get_subcommands();
    return named.empty() ? &app : innermost_named(*named.front());
}

}  // namespace

ParsedWords parse_words(const std::vector<std::string>& words, int ranks) {
    CLI::App app{"", "shardstone"};
    app.require_subcommand(1);
    std::vector<std::function<int()>> actions;  // which own what the options are read into
    std::map<const CLI::App*, std::function<void(int)>> checks;  // and so do these
    std::vector<std::pair<const CLI::App*, RunsOn>> runs_on;
    for (const Subcommand& subcommand : subcommands()) {
        CLI::App* child = app.add_subcommand(subcommand.name, subcommand.summary);
        if (subcommand.declare_check) {
            checks[child] = subcommand.declare_check(*child);
        } else {
            actions.push_back(subcommand.declare(*child));
        }
        if (subcommand.runs_on == RunsOn::all_ranks) declare_stall_after(*child);
        runs_on.emplace_back(child, subcommand.runs_on);
    }
    check_numbers(app);
    ParsedWords parsed;
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
        const auto check = checks.find(app.get_subcommands().front());
        if (check != checks.end()) check->second(ranks);
    } catch (const CLI::ParseError& error) {
        std::vector<std::string> all{"shardstone"};
        all.insert(all.end(), words.begin(), words.end());
        parsed.refusal = explain(error, app, all);
        return parsed;
    } catch (const Error& error) {
        parsed.refusal = error.what();
        return parsed;
    }
    const CLI::App& chosen = *innermost_named(app);
    const auto has = [&](const char* option) {
        return chosen.get_option_no_throw(option) != nullptr;
    };
    parsed.writes_json = has("--json");
    const CLI::App* first = app.get_subcommands().front();
    parsed.needs_ranks = std::ranges::any_of(runs_on, [&](const auto& one) {
        return one.first == first && one.second == RunsOn::all_ranks;
    });
    return parsed;
}

}  // namespace shardstone::command
