// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shardstone::command {

/// One option or positional argument, as --help shows it.
struct OptionText {
    std::vector<std::string> names;  ///< "-b", "--minbytes"; the one name of a positional
    std::string value;               ///< its argument, with the default: "INT=16"; or empty
    std::string description;
    std::string group;  ///< its heading
    bool positional = false;
};

/// A command with everything below it: the source of the manual page and the completion, so that
/// neither can lack an option.
struct CommandText {
    std::string name;  ///< all words after "shardstone": "data prepare"; nothing for the whole
    std::string summary;
    std::string details;  ///< the end of --help
    std::vector<OptionText> options;
    std::vector<CommandText> subcommands;
};

/// `app`, with every option and subcommand that is not hidden.
CommandText describe(const CLI::App& app, const std::string& name = "");

/// A manual page in the format of man(7).
std::string manual_page(const CommandText& whole);

/// A script for bash that completes subcommands and options, and files everywhere else.
std::string bash_completion(const CommandText& whole);

}  // namespace shardstone::command
