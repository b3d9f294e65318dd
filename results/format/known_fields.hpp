// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "kernels/base/error.hpp"
#include "results/format/record.hpp"

namespace shardstone::results {

/// A member of a JSON object in its type. Throws Error naming `place` and the member when it is not
/// there or is of another type.
template <class Value>
Value member(const nlohmann::json& object, const char* name, const std::string& place) {
    const bool there = object.is_object() && object.contains(name);
    require(there, [&] { return fmt::format("{} has no member '{}'", place, name); });
    try {
        return object.at(name).template get<Value>();
    } catch (const nlohmann::json::exception&) {
        fail(fmt::format("{}: '{}' is of the wrong type: {}", place, name,
                         std::string(object.at(name).type_name())));
    }
}

/// Throws Error naming `source` and the field when what readers of records look up in the three
/// JSON documents is there and of another type than theirs.
void require_known_fields(const Record& record, const std::string& source);

}  // namespace shardstone::results
