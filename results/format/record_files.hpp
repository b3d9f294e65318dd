// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

namespace shardstone::results {

/// Throws Error if what the user named does not exist, or cannot be looked at: a typing error,
/// where what was found below a folder may be a link to nothing, or have gone since.
void require_there(const std::filesystem::path& named);

/// The given files, with folders replaced by the files below them whose names end in one of
/// `endings`, in the order of their names, numbers in them by value; among them what is no file,
/// and folders below them that cannot be read. Throws Error naming a path that does not exist, or a
/// folder that cannot be read, or without any.
std::vector<std::filesystem::path> files_below(const std::vector<std::filesystem::path>& paths,
                                               const std::vector<std::string>& endings);

/// The given files, with folders replaced by the records below them (.json, .h5), damaged ones
/// among them: what is_foreign() is passed over, as in the folder of a study (`shardstone submit`).
/// Throws Error as files_below() does, and naming a folder that holds no record.
std::vector<std::filesystem::path> records_below(const std::vector<std::filesystem::path>& paths);

/// Whether a file begins as a record of ours does, in either format and whatever its name.
bool looks_like_record(const std::filesystem::path& path);

/// Whether a file is another program's, or one of ours that is no record: JSON to its last byte,
/// without the members that every record has. Of a record a change leaves either no JSON or most of
/// them. What cannot be read is not foreign.
bool is_foreign(const std::filesystem::path& path);

}  // namespace shardstone::results
