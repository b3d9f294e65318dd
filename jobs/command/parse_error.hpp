// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shardstone::command {

/// One line about a command line that `app` refused: names the first word that is no subcommand or
/// option, and the nearest that is one; else what CLI11 found. Ends with where the help is.
std::string explain(const CLI::ParseError& error, const CLI::App& app,
                    const std::vector<std::string>& words);

}  // namespace shardstone::command
