// SPDX-License-Identifier: BSD-3-Clause
// The bash completion script, generated from the tree of subcommands and options.
#include <fmt/format.h>

#include "jobs/command/command_tree.hpp"

namespace shardstone::command {

namespace {

// The words so far give the command ("data prepare"); a word that begins with a dash is completed
// to its options, any other to its subcommands, and where there are none bash completes files.
constexpr const char* script =
    R"(# Completion of bash for shardstone, written by `shardstone completion bash`.
_shardstone() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} command= options= subcommands= i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case "$command ${{COMP_WORDS[i]}}" in
{commands}        esac
    done
    case "$command" in
{words}    esac
    case "$current" in
        -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$subcommands" -- "$current")) ;;
    esac
}}
complete -o bashdefault -o default -F _shardstone shardstone
)";

/// The last word of a command's name.
std::string last_word(const CommandText& command) {
    return command.name.substr(command.name.rfind(' ') + 1);
}

/// Appends the patterns and the words of `command` and of all below it.
void collect(const CommandText& command, std::string& commands, std::string& words) {
    std::string options;
    std::string subcommands;
    for (const OptionText& option : command.options) {
        if (option.positional) continue;
        for (const std::string& name : option.names) options += " " + name;
    }
    for (const CommandText& child : command.subcommands) subcommands += " " + last_word(child);
    words += fmt::format("        \"{}\")\n            options=\"{}\"\n", command.name,
                         options.empty() ? "" : options.substr(1));
    if (!subcommands.empty()) {
        words += fmt::format("            subcommands=\"{}\"\n", subcommands.substr(1));
    }
    words += "            ;;\n";
    for (const CommandText& child : command.subcommands) {
        commands += fmt::format("            \"{} {}\") command=\"{}\" ;;\n", command.name,
                                last_word(child), child.name);
        collect(child, commands, words);
    }
}

}  // namespace

std::string bash_completion(const CommandText& whole) {
    std::string commands;
    std::string words;
    collect(whole, commands, words);
    return fmt::format(fmt::runtime(script), fmt::arg("commands", commands),
                       fmt::arg("words", words));
}

}  // namespace shardstone::command
