// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace shardstone::results {

/// JSON as records and journals hold it. Throws nlohmann::json::exception where it is none, or
/// where it nests deeper than anything we write: copying and destroying what does, one call a
/// level, overflows the stack.
nlohmann::json parse_json(std::string_view text);

}  // namespace shardstone::results
