// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

namespace shardstone {

/// The installation prefix of the running program (the parent of its `bin`), from the program's
/// current location, so that an installed tree may be moved; nothing if the program is not in a
/// `bin` next to a `share/shardstone`, as in a build tree.
std::optional<std::filesystem::path> install_root();

/// The cluster descriptions shipped with Shardstone: `share/shardstone/clusters` of an installed
/// program, otherwise `jobs/clusters` of the source tree that it was built from. The folder need
/// not exist.
std::filesystem::path shared_clusters();

/// The same for any folder of `jobs` that is installed: "studies", "sites".
std::filesystem::path shared_folder(const char* name);

}  // namespace shardstone
