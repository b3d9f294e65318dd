// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

namespace shardstone {

/// The folder that `cmake --install` put the running program's `bin` in, by where the program lies
/// now, so that an installed tree may be moved; nothing when the program does not lie in a `bin`
/// beside a `share/shardstone`, as in a build tree.
std::optional<std::filesystem::path> install_root();

/// The cluster descriptions that come with Shardstone: `share/shardstone/clusters` of an installed
/// program, otherwise `jobs/clusters` of the source that this one was built from. The folder need
/// not exist.
std::filesystem::path shared_clusters();

}  // namespace shardstone
