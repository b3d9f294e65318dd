// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/base/error.hpp"
#include "results/record/record.hpp"

namespace shardstone::results {

/// False if an integer is wanted and the value is none, or does not fit: the library would truncate
/// 3.7, 1e99 and 2^32 + 3.
template <class Value>
bool holds_value(const nlohmann::json& value) {
    if constexpr (!std::is_integral_v<Value> || std::is_same_v<Value, bool>) {
        return true;
    } else if (value.is_number_unsigned()) {
        return std::in_range<Value>(value.get<std::uint64_t>());
    } else if (!value.is_number() && !value.is_boolean()) {
        return true;  // of another type, which get() refuses
    } else {
        return value.is_number_integer() && std::in_range<Value>(value.get<std::int64_t>());
    }
}

/// A member of a JSON object, in its type. Throws Error naming `place` and the member if it is
/// missing or of another type.
template <class Value>
Value member(const nlohmann::json& object, const char* name, const std::string& place) {
    const bool there = object.is_object() && object.contains(name);
    require(there, [&] { return fmt::format("{} has no member '{}'", place, name); });
    try {
        require(holds_value<Value>(object.at(name)), [&] {
            return fmt::format("{}: '{}' is no whole number in range: {:.40}", place, name,
                               object.at(name).dump());
        });
        return object.at(name).template get<Value>();
    } catch (const nlohmann::json::exception&) {
        fail(fmt::format("{}: '{}' is of the wrong type: {}", place, name,
                         std::string(object.at(name).type_name())));
    }
}

/// Throws Error naming `source` and the field if a field that readers of records look up in the
/// three JSON documents exists with an unexpected type.
void require_known_fields(const Record& record, const std::string& source);

}  // namespace shardstone::results
