// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

namespace shardstone::validation {

/// Functions of anonymous namespaces that a header of another source declares, too, with the same
/// name and types of parameters, one line each. Where sources are compiled together (unity builds),
/// a call meant for the one takes the other, without a word of the compiler: seen in a sweep that
/// spoke of sums. `sources`: text by path.
std::vector<std::string> captured_names(const std::map<std::string, std::string>& sources);

}  // namespace shardstone::validation
