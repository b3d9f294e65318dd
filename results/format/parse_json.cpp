// SPDX-License-Identifier: BSD-3-Clause
// The one way in which JSON from files is parsed.
#include "results/format/parse_json.hpp"

namespace shardstone::results {

using nlohmann::json;

json parse_json(std::string_view text) {
    constexpr int most_levels = 64;
    return json::parse(text, [](int depth, json::parse_event_t, json&) {
        if (depth > most_levels) {
            throw json::out_of_range::create(408, "nested too deeply", nullptr);
        }
        return true;
    });
}

}  // namespace shardstone::results
