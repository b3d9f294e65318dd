// SPDX-License-Identifier: BSD-3-Clause
// Lists on the command line, a comma between two of their items.
#include "jobs/command/list_option.hpp"

#include <fmt/format.h>

#include "jobs/command/number_option.hpp"

namespace shardstone::command {

namespace {

bool has_gap(const std::string& list) {
    return list.empty() || list.front() == ',' || list.back() == ',' ||
           list.find(",,") != std::string::npos;
}

std::string refusal_of(const CLI::Option* option, const std::string& word) {
    if (option == nullptr || option->get_delimiter() != ',' || !has_gap(word)) return "";
    if (word.empty()) return fmt::format("{}: {}", option->get_name(), nothing_given);
    return fmt::format("{} '{}': there is nothing beside one of its commas: write 'A,B,C'",
                       option->get_name(), word);
}

/// Null if there is none of this name.
const CLI::App* subcommand_of(const CLI::App& app, const std::string& name) {
    const auto named = app.get_subcommands(
        [&](const CLI::App* child) { return !name.empty() && child->get_name() == name; });
    return named.empty() ? nullptr : named.front();
}

}  // namespace

std::string refusal_of_gaps(const CLI::App& app, const std::vector<std::string>& words) {
    const CLI::App* innermost = &app;
    const CLI::Option* option = nullptr;  // to which words without a name belong
    for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
        const std::string& word = words[i];
        std::string refusal;
        if (word.starts_with("--")) {
            const std::size_t end = word.find('=');
            option = innermost->get_option_no_throw(word.substr(0, end));
            if (end != std::string::npos) refusal = refusal_of(option, word.substr(end + 1));
        } else if (word.starts_with('-')) {
            option = nullptr;  // no list has a short name
        } else if (const auto* child = subcommand_of(*innermost, word)) {
            innermost = child;
            option = nullptr;
        } else {
            refusal = refusal_of(option, word);
        }
        if (!refusal.empty()) return refusal;
    }
    return "";
}

}  // namespace shardstone::command
