// SPDX-License-Identifier: BSD-3-Clause
// Explains a refused command line in one message: the misspelt word and its likely meaning.
#include "jobs/command/parse_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "kernels/base/spelling.hpp"

namespace shardstone::command {

namespace {

using Words = std::vector<std::string>;

Words names_of_subcommands(const CLI::App& app) {
    Words names;
    for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(child->get_name());
    }
    return names;
}

Words names_of_options(const CLI::App& app) {
    Words names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

/// What an option is called in a word such as --json=a.json or -n4; empty for a number or a value.
std::string option_in(const std::string& word) {
    if (word.size() < 2 || word[0] != '-' || word == "--") return {};
    if (word[1] == '-') return word.substr(0, word.find('='));
    return std::isdigit(static_cast<unsigned char>(word[1])) != 0 ? "" : word.substr(0, 2);
}

/// The first word that nothing is called, with the nearest name; `innermost` is set to the
/// subcommand that was reached.
std::string unknown_name(const CLI::App& app, const Words& words, const CLI::App*& innermost) {
    innermost = &app;
    for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
        const std::string option = option_in(words[i]);
        if (!option.empty() && innermost->get_option_no_throw(option) == nullptr) {
            return fmt::format("unknown option '{}'{}", option,
                               suggestion(option, names_of_options(*innermost)));
        }
        const Words subcommands = names_of_subcommands(*innermost);
        if (words[i].starts_with('-') || subcommands.empty()) continue;
        if (std::ranges::find(subcommands, words[i]) == subcommands.end()) {
            return fmt::format("unknown subcommand '{}'{}", words[i],
                               suggestion(words[i], subcommands));
        }
        innermost = innermost->get_subcommand(words[i]);
    }
    return {};
}

/// "shardstone study pipeline".
std::string full_name(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

}  // namespace

std::string explain(const CLI::ParseError& error, const CLI::App& app, const Words& words) {
    const CLI::App* innermost = nullptr;
    std::string message = unknown_name(app, words, innermost);
    if (message.empty()) message = error.what();
    return fmt::format("{} (see {} --help)", message, full_name(*innermost));
}

}  // namespace shardstone::command
