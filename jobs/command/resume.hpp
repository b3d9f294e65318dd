// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "results/journal/recover.hpp"

namespace shardstone::command {

/// Adds --resume FILE, which a run that was ended goes on from: its journal or incomplete record.
void declare_resume(CLI::App& app, std::string& from);

/// What that run had finished; a record without tables where `from` is empty. Throws Error, also
/// where it is of another kind than `kind`. Local.
results::Unfinished earlier_run(const std::string& from, const std::string& kind);

/// Throws Error if a run is to continue without a file for its complete record.
void require_output_for_resumed(const std::string& from, const std::filesystem::path& json,
                                const std::filesystem::path& hdf5);

}  // namespace shardstone::command
