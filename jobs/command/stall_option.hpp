// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace shardstone::command {

/// Adds --stall-after to a subcommand whose ranks wait for each other, or if it has subcommands
/// itself, to those. The value applies to the session (collectives/watchdog/watchdog.hpp).
void declare_stall_after(CLI::App& app);

}  // namespace shardstone::command
