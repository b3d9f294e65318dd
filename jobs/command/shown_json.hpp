// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace shardstone::command {

/// A document for readers: what fits on a line stands on one, and equal elements of a list that
/// follow each other stand once, "4 x {...}", even where they differ in their "host", which is then
/// left out: machines of a cluster are mostly equal. `indent`: columns taken before it.
std::string shown_json(const nlohmann::json& document, std::size_t indent = 0);

}  // namespace shardstone::command
