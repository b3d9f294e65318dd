// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace shardstone::validation {

/// A corpus for a Mutator: these texts, and twenty copies of each file in the folder, since good
/// texts are what mutations can hide in: most inputs start from one. Sorted: the order of a
/// folder's entries is not the same everywhere, and the inputs are to be.
std::vector<std::string> with_copies_of(const std::filesystem::path& folder,
                                        std::vector<std::string> texts);

}  // namespace shardstone::validation
