// SPDX-License-Identifier: BSD-3-Clause
// Where in a JSON document a byte lies, and in which values two documents differ.
#include "results/bundle/json_place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardstone::results {

namespace {

using nlohmann::json;

/// One list or object that is open.
struct Level {
    bool is_object = false;
    bool expects_name = false;
    std::size_t index = 0;
    std::string name;
};

/// The byte behind a string that begins at `begin`, a quotation mark.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
    std::size_t at = begin + 1;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
}

void take_string(std::string_view text, std::size_t begin, std::size_t end,
                 std::vector<Level>& levels) {
    if (levels.empty() || !levels.back().expects_name || end < begin + 2) return;
    levels.back().name = std::string(text.substr(begin + 1, end - begin - 2));
    levels.back().expects_name = false;
}

void take_sign(char sign, std::vector<Level>& levels) {
    if (sign == '{' || sign == '[') levels.push_back({sign == '{', sign == '{', 0, {}});
    if (levels.empty()) return;
    if (sign == '}' || sign == ']') levels.pop_back();
    if (sign != ',') return;
    levels.back().expects_name = levels.back().is_object;
    ++levels.back().index;
}

std::string name_of_element(const json& element, const std::string& index) {
    for (const char* name : {"name", "path"}) {
        if (!element.is_object()) break;
        const auto found = element.find(name);
        if (found != element.end() && found->is_string()) {
            return fmt::format("'{}'", found->get<std::string>());
        }
    }
    return index;
}

void collect(const json& given, const json& expected, const JsonPath& path, std::size_t most,
             std::vector<JsonDifference>& found) {
    if (found.size() >= most || given == expected) return;
    const auto inside = [&](const std::string& step) {
        JsonPath longer = path;
        longer.push_back(step);
        return longer;
    };
    if (expected.is_array() && given.is_array() && expected.size() == given.size()) {
        for (std::size_t i = 0; i < expected.size(); ++i) {
            collect(given[i], expected[i], inside(std::to_string(i)), most, found);
        }
    } else if (expected.is_object() && given.is_object()) {
        for (const auto& [name, value] : expected.items()) {
            if (given.contains(name)) {
                collect(given.at(name), value, inside(name), most, found);
            } else if (found.size() < most) {
                found.push_back({inside(name), "nothing", value.dump()});
            }
        }
        for (const auto& [name, value] : given.items()) {
            if (expected.contains(name) || found.size() >= most) continue;
            found.push_back({inside(name), value.dump(), "nothing"});
        }
    } else {
        found.push_back({path, given.dump(), expected.dump()});
    }
}

}  // namespace

JsonPath json_path_at(std::string_view text, std::size_t offset) {
    std::vector<Level> levels;
    for (std::size_t at = 0; at < text.size() && at <= offset;) {
        if (text[at] == '"') {
            const std::size_t end = end_of_string(text, at);
            take_string(text, at, end, levels);
            at = end;
        } else {
            take_sign(text[at], levels);
            ++at;
        }
    }
    JsonPath path;
    for (const Level& level : levels) {
        path.push_back(level.is_object ? level.name : std::to_string(level.index));
    }
    return path;
}

std::string json_place(const json& document, const JsonPath& path) {
    std::vector<std::string> words;
    const json* at = &document;
    for (const std::string& step : path) {
        if (at->is_object() && at->contains(step)) {
            at = &at->at(step);
            words.push_back(step);
        } else if (at->is_array() &&
                   std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; }) &&
                   !step.empty() && std::stoull(step) < at->size()) {
            at = &at->at(std::stoull(step));
            words.push_back(name_of_element(*at, step));
        } else {
            break;
        }
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<JsonDifference> json_differences(const json& given, const json& expected,
                                             std::size_t most) {
    std::vector<JsonDifference> found;
    collect(given, expected, {}, most, found);
    return found;
}

}  // namespace shardstone::results
