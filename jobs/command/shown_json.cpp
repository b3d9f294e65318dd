// SPDX-License-Identifier: BSD-3-Clause
// JSON on the screen: short where it is short, and equal parts once.
#include "jobs/command/shown_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace shardstone::command {

namespace {

using nlohmann::json;

constexpr std::size_t shown_width = 100;
constexpr std::size_t shown_step = 2;

json without_host(json element) {
    if (element.is_object()) element.erase("host");
    return element;
}

/// Elements that follow each other and are equal but for their host.
struct EqualRun {
    json element;  ///< without its host if there are several that differ in it
    std::size_t count = 1;
};

std::vector<EqualRun> equal_runs(const json& list) {
    std::vector<EqualRun> runs;
    const json* first = nullptr;
    for (const json& one : list) {
        if (first != nullptr && without_host(one) == without_host(*first)) {
            ++runs.back().count;
            if (one != *first) runs.back().element = without_host(one);
        } else {
            runs.push_back({one});
            first = &one;
        }
    }
    return runs;
}

std::string in_brackets(const std::vector<std::string>& parts, const char* brackets,
                        std::size_t indent) {
    const std::string margin(indent + shown_step, ' ');
    std::string text;
    for (const std::string& part : parts) {
        text += fmt::format("{}\n{}{}", text.empty() ? "" : ",", margin, part);
    }
    return fmt::format("{}{}\n{}{}", brackets[0], text, std::string(indent, ' '), brackets[1]);
}

}  // namespace

std::string shown_json(const json& document, std::size_t indent) {
    std::vector<std::string> parts;
    if (document.is_array()) {
        for (const EqualRun& run : equal_runs(document)) {
            const std::string times = run.count == 1 ? "" : fmt::format("{} x ", run.count);
            parts.push_back(times + shown_json(run.element, indent + shown_step));
        }
        std::string line = fmt::format("[{}]", fmt::join(parts, ", "));
        const bool fits =
            line.find('\n') == std::string::npos && indent + line.size() <= shown_width;
        return fits ? line : in_brackets(parts, "[]", indent);
    }
    const std::string line = document.dump();
    if (!document.is_object() || indent + line.size() <= shown_width) return line;
    for (const auto& [name, value] : document.items()) {
        parts.push_back(json(name).dump() + ": " + shown_json(value, indent + shown_step));
    }
    return in_brackets(parts, "{}", indent);
}

}  // namespace shardstone::command
