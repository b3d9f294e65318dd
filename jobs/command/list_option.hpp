// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shardstone::command {

/// The refusal of a list between whose commas nothing stands, as of a shell variable which is not
/// set: "--sizes '8,,4M': ...". CLI11 leaves out what is empty before any check sees it. Empty if
/// there is none. `words` are a whole command line, that of a subcommand of `app`, not parsed yet.
std::string refusal_of_gaps(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace shardstone::command
