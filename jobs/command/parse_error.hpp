// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shardstone::command {

/// One line about a command line that `app` refused: names the first word that is not a subcommand
/// or option, and the nearest valid one; otherwise CLI11's message. Ends with a reference to the
/// help.
std::string explain(const CLI::ParseError& error, const CLI::App& app,
                    const std::vector<std::string>& words);

}  // namespace shardstone::command
