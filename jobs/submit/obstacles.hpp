// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace shardstone::submit {

/// Removes from the folder of a point, if there is one, what would be in the way of a new try: a
/// folder, a pipe or a link with the name of one of its files. Throws Error with what to remove
/// where that cannot be done, or if the folder is none.
void remove_obstacles(const std::filesystem::path& folder);

/// With those above it, unless it is there. Throws Error.
void make_folder(const std::filesystem::path& folder);

/// Removes a file, or a folder with all that is in it. Throws Error naming it.
void remove_whole(const std::filesystem::path& path);

/// Of a record, or a file that goes with one: of "record.json", "record.json.journal".
bool is_of_record(const std::filesystem::path& file);

}  // namespace shardstone::submit
