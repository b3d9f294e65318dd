// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "results/bundle/contents.hpp"

namespace shardstone::results {

/// Reads records for a bundle, in the order given. One that was given in both formats is taken
/// once. Names are the shortest ends of the paths by which the files differ. Throws Error naming a
/// file that cannot be read, is damaged or is no record, or two of one run with different contents.
BundleContents gather(const std::vector<std::filesystem::path>& records,
                      const std::optional<std::filesystem::path>& acceptance);

}  // namespace shardstone::results
