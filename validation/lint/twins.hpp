// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

namespace shardstone::validation {

/// Types that two sources define in the same namespace, one line each. To the linker they are one,
/// and it takes the members of either for both, without a word (the one definition rule): seen as a
/// destructor that freed another's members. `sources`: text by path. Types inside others and in
/// anonymous namespaces may have any name.
std::vector<std::string> twin_types(const std::map<std::string, std::string>& sources);

}  // namespace shardstone::validation
