// SPDX-License-Identifier: BSD-3-Clause
// Good JSON documents are spoilt at random, in values, members and lists, yet still parse.
#include "validation/fuzz/json_mutator.hpp"

#include <iterator>
#include <limits>
#include <utility>

namespace shardstone::validation {

using nlohmann::json;

json JsonMutator::nasty_value() {
    using Whole = std::numeric_limits<std::int64_t>;
    switch (below(14)) {
        case 0:
            return nullptr;
        case 1:
            return below(2) == 0;
        case 2:
            return -1;
        case 3:
            return 0;
        case 4:
            return 1e300;
        case 5:
            return 0.5;
        case 6:
            return Whole::max();
        case 7:
            return Whole::min();
        case 8:
            return std::uint64_t{1} << 63U;
        case 9:
            return (std::int64_t{1} << 32) + 3;
        case 10:
            return json::array();
        case 11:
            return json::object();
        case 12:
            return below(2) == 0 ? "NaN" : "-Infinity";
        default:
            return bytes_.any_word();
    }
}

/// Most walks end deep down, where most of a document is.
json& JsonMutator::any_place(json& document) {
    json* place = &document;
    while (place->is_structured() && !place->empty() && below(8) != 0) {
        auto child = place->begin();
        std::advance(child, below(place->size()));
        place = &*child;
    }
    return *place;
}

void JsonMutator::spoil_object(json& object, const json& other) {
    auto member = object.begin();
    std::advance(member, below(object.size()));
    switch (below(4)) {
        case 0:
            object.erase(member);
            break;
        case 1:
            object[bytes_.any_word()] = member.value();
            break;
        case 2:
            object[member.key()] = other;
            break;
        default: {
            json value = std::move(member.value());
            const std::string name = member.key();
            object.erase(member);
            object[bytes_.mutated(name)] = std::move(value);
            break;
        }
    }
}

void JsonMutator::spoil_array(json& array, const json& other) {
    const auto place = static_cast<std::ptrdiff_t>(below(array.size()));
    switch (below(4)) {
        case 0:
            array.erase(array.begin() + place);
            break;
        case 1:
            array.push_back(json(array[static_cast<std::size_t>(place)]));
            break;
        case 2:
            array[static_cast<std::size_t>(place)] = other;
            break;
        default:
            array.push_back(other);
            break;
    }
}

void JsonMutator::spoil_place(json& place, const json& other) {
    if (place.is_structured() && !place.empty() && below(4) != 0) {
        place.is_object() ? spoil_object(place, other) : spoil_array(place, other);
    } else if (place.is_string() && below(2) == 0) {
        place = bytes_.mutated(place.get<std::string>());
    } else {
        place = other;
    }
}

void JsonMutator::spoil(json& document) {
    for (std::size_t times = 1 + below(4); times > 0; --times) {
        // Before the place is looked for: a copy of what may lie around it.
        const json other = below(3) == 0 ? any_place(document) : nasty_value();
        spoil_place(any_place(document), other);
    }
}

std::string text_of(const json& document, int indent) {
    return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace shardstone::validation
