// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace shardstone::command {

/// Prints what lies below the folders among `paths` and was not looked at, since its name ends in
/// none of `endings`: each file that is a record by its contents, and how many others there are.
void tell_passed_over(const std::vector<std::filesystem::path>& paths,
                      const std::vector<std::string>& endings);

}  // namespace shardstone::command
