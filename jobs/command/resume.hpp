// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "results/journal/recover.hpp"

namespace shardstone::command {

/// Adds --resume FILE, from which a run that was ended continues: its journal or incomplete record.
void declare_resume(CLI::App& app, std::string& from);

/// Finished results of that run; a record without tables if `from` is empty. Throws Error, also if
/// it is not of kind `kind`. Local.
results::Unfinished earlier_run(const std::string& from, const std::string& kind);

/// Throws Error if a run is to continue without a file for its complete record.
void require_output_for_resumed(const std::string& from, const std::filesystem::path& json,
                                const std::filesystem::path& hdf5);

}  // namespace shardstone::command
