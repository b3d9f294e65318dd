// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

namespace shardstone::results {

/// The given files, with folders replaced by the files below them whose names end in one of
/// `endings`, in the order of their names. Throws Error naming a path that does not exist, or a
/// folder without any.
std::vector<std::filesystem::path> files_below(const std::vector<std::filesystem::path>& paths,
                                               const std::vector<std::string>& endings);

}  // namespace shardstone::results
