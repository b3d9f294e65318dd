// SPDX-License-Identifier: BSD-3-Clause
// Parses a command line that is to be run later, so that a mistake in it is told now.
#include "jobs/command/parse_words.hpp"

#include <map>
#include <set>

#include "jobs/command/command.hpp"
#include "jobs/command/list_option.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/output_names.hpp"
#include "jobs/command/parse_error.hpp"
#include "jobs/command/stall_option.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::command {

namespace {

/// All subcommands, ready to parse.
class Parser {
  public:
    Parser() {
        app_.require_subcommand(1);
        for (const Subcommand& subcommand : subcommands()) add(subcommand);
        check_numbers(app_);
    }
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    CLI::App& app() { return app_; }
    void check(int ranks) const {
        const auto check = checks_.find(app_.get_subcommands().front());
        if (check != checks_.end()) check->second(ranks);
    }
    /// Whether a subcommand of the first level needs all ranks.
    bool needs_ranks(const CLI::App* first) const { return on_ranks_.contains(first); }

  private:
    void add(const Subcommand& subcommand) {
        CLI::App* child = app_.add_subcommand(subcommand.name, subcommand.summary);
        if (subcommand.declare_check) {
            checks_[child] = subcommand.declare_check(*child);
        } else {
            actions_.push_back(subcommand.declare(*child));
        }
        if (subcommand.runs_on != RunsOn::all_ranks) return;
        declare_stall_after(*child);
        on_ranks_.insert(child);
    }

    CLI::App app_{"", "shardstone"};
    std::vector<std::function<int()>> actions_;  // which own what the options are read into
    std::map<const CLI::App*, std::function<void(int)>> checks_;  // and so do these
    std::set<const CLI::App*> on_ranks_;
};

bool writes_record(const CLI::App& app) {
    return app.get_option_no_throw("--json") != nullptr;
}

/// Groups of options have no name.
std::vector<const CLI::App*> children_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* child) { return !child->get_name().empty(); });
}

void add_with_records(const CLI::App& app, const std::string& name,
                      std::vector<std::string>& names) {
    if (writes_record(app)) names.push_back(name);
    for (const CLI::App* child : children_of(app)) {
        add_with_records(*child, name + " " + child->get_name(), names);
    }
}

CLI::App& innermost_named(CLI::App& app) {
    const auto named = app.get_subcommands();
    return named.empty() ? app : innermost_named(*named.front());
}

}  // namespace

ParsedWords parse_words(const std::vector<std::string>& words, int ranks) {
    Parser parser;
    CLI::App& app = parser.app();
    ParsedWords parsed;
    std::vector<std::string> all{"shardstone"};
    all.insert(all.end(), words.begin(), words.end());
    parsed.refusal = refusal_of_gaps(app, all);
    if (!parsed.refusal.empty()) return parsed;
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
        parser.check(ranks);
    } catch (const CLI::ParseError& error) {
        parsed.refusal = explain(error, app, all);
        return parsed;
    } catch (const Error& error) {
        parsed.refusal = error.what();
        return parsed;
    }
    CLI::App& chosen = innermost_named(app);
    parsed.writes_json = writes_record(chosen);
    for (CLI::Option* option : chosen.get_options()) {
        if (option->count() > 0 && is_marked_output(*option)) {
            parsed.outputs.push_back(option->get_name());
        }
    }
    parsed.needs_ranks = parser.needs_ranks(app.get_subcommands().front());
    return parsed;
}

std::vector<std::string> commands_with_records() {
    Parser parser;
    std::vector<std::string> names;
    for (const CLI::App* first : children_of(parser.app())) {
        if (parser.needs_ranks(first)) add_with_records(*first, first->get_name(), names);
    }
    return names;
}

}  // namespace shardstone::command
