// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "collectives/cluster/communicator.hpp"
#include "reference/data/dataset.hpp"

namespace shardstone::reference {

/// The text of this project below `root`, as bytes: sources, scripts, build files and documents
/// (records, reports and other produced files are left out). Throws Error naming --data when the
/// source tree is gone from where this program was built.
Dataset repository_text(const std::filesystem::path& root);

/// The same, read by rank 0 and sent to the others, which may not see the source tree. Collective;
/// throws on all ranks alike.
Dataset shared_repository_text(const collectives::Communicator& communicator,
                               const std::filesystem::path& root);

}  // namespace shardstone::reference
