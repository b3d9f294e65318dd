// SPDX-License-Identifier: BSD-3-Clause
// Reads every visible subcommand and option out of CLI11, for whatever documents the command line.
#include "jobs/command/command_tree.hpp"

namespace shardstone::command {

namespace {

/// One that --help does not show has no group.
bool is_shown(const CLI::Option* option) {
    return !option->get_group().empty();
}

OptionText text_of(const CLI::Option& option) {
    OptionText text;
    text.positional = !option.nonpositional();
    if (text.positional) text.names.push_back(option.get_name(true));
    for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
    text.value = CLI::Formatter().make_option_opts(&option);
    text.value.erase(0, text.value.find_first_not_of(' '));
    text.description = option.get_description();
    text.group = text.positional ? "Arguments" : option.get_group();
    return text;
}

}  // namespace

CommandText describe(const CLI::App& app, const std::string& name) {
    CommandText text{name, app.get_description(), app.get_footer(), {}, {}};
    for (const CLI::Option* option : app.get_options(is_shown)) {
        text.options.push_back(text_of(*option));
    }
    const auto all = [](const CLI::App* child) { return !child->get_group().empty(); };
    for (const CLI::App* child : app.get_subcommands(all)) {
        text.subcommands.push_back(
            describe(*child, name + (name.empty() ? "" : " ") + child->get_name()));
    }
    return text;
}

}  // namespace shardstone::command
