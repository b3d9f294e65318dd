// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

namespace shardstone::command {

/// Whether both name one file: by inode where both are there, since a link is another name of the
/// same file, else by name.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Throws Error where two of these are one file, or one is where the journal (run_journal.hpp) or
/// the failure log (failure_log.hpp) of another is to be. Empty paths are left out; a folder may be
/// among them. Makes nothing.
void require_names_apart(const std::vector<std::filesystem::path>& outputs);

/// Throws Error where something lies in the place of an output's journal that no run has left
/// there: a link, a folder or a device.
void require_place_for_journal(const std::filesystem::path& journal);

}  // namespace shardstone::command
