// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace shardstone::results {

/// Parses the JSON of records and journals. Throws nlohmann::json::exception if it is invalid, or
/// if it is nested deeper than anything we write: copying and destroying it, with one call per
/// level, would overflow the stack.
nlohmann::json parse_json(std::string_view text);

}  // namespace shardstone::results
