// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shardstone {

/// The installation prefix of the running program (the parent of its `bin`), from the program's
/// current location, so that an installed tree may be moved; nothing if the program is not in a
/// `bin` next to a `share/shardstone`, as in a build tree.
std::optional<std::filesystem::path> install_root();

/// A folder of TOML files shipped with Shardstone, "clusters" for instance:
/// `share/shardstone/clusters` of an installed program, otherwise `jobs/clusters` of the source
/// tree that it was built from. It need not exist.
std::filesystem::path shared_folder(const char* name);

/// The files in it without their ending, in alphabetical order.
std::vector<std::string> shared_names(const char* folder);

/// `named`, or the file in the folder if there is no such file and it can only be a name: without a
/// folder and an ending. Neither need exist.
std::filesystem::path found_shared(const char* folder, const std::filesystem::path& named);

}  // namespace shardstone
