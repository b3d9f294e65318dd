// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardstone::results {

/// Members and indices that lead to a value in a document: {"samples", "3", "columns", "0"}.
using JsonPath = std::vector<std::string>;

/// The path of the value, or of the member, at or before a byte of a JSON text, which is valid up
/// to there.
JsonPath json_path_at(std::string_view text, std::size_t offset);

/// A path as readers look for it: elements of lists by their "name" or "path" where they have one:
/// "samples, 'rank_steps', columns, 'time_s', numbers, 17". A path that leaves the document ends
/// there.
std::string json_place(const nlohmann::json& document, const JsonPath& path);

struct JsonDifference {
    JsonPath path;
    std::string given, expected;  ///< values as JSON; "nothing" for one that is not there
};

/// All values in which two documents differ, in the order of the expected one; at most `most`.
std::vector<JsonDifference> json_differences(const nlohmann::json& given,
                                             const nlohmann::json& expected, std::size_t most);

}  // namespace shardstone::results
