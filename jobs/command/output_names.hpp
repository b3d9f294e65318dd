// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

namespace shardstone::command {

/// Whether both name the same file: by inode if both exist, since a link is another name of the
/// same file, otherwise by name.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Marks an option whose value is a file or folder that the command writes beside its record, so
/// that whoever composes many command lines does not give all of them the same. Returns it.
CLI::Option* mark_output(CLI::Option* option);
bool is_marked_output(CLI::Option& option);

/// Throws Error if two of these are the same file, or one is in the place of the journal
/// (run_journal.hpp) or the failure log (failure_log.hpp) of another. Empty paths are ignored;
/// folders are allowed. Creates nothing.
void require_names_apart(const std::vector<std::filesystem::path>& outputs);

/// Throws Error if the place of an output's journal is taken by something that no run has left
/// there: a link, a folder or a device.
void require_place_for_journal(const std::filesystem::path& journal);

}  // namespace shardstone::command
