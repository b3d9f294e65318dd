// SPDX-License-Identifier: BSD-3-Clause
#include "results/journal/reason.hpp"

#include <fmt/format.h>

#include <fstream>

#include "kernels/base/utf8.hpp"
#include "results/format/parse_json.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

/// "2026-11-22T10:20:30": what times with and without milliseconds have in common.
std::string to_the_second(const json& time) {
    constexpr std::size_t digits = 19;
    return time.is_string() ? time.get<std::string>().substr(0, digits) : "";
}

/// A field as it stands; others may have written into the file.
std::string as_it_stands(const json& line, const char* name) {
    if (!line.contains(name)) return "?";
    const json& value = line.at(name);
    return as_utf8(value.is_string() ? value.get<std::string>() : value.dump());
}

/// Null where others wrote what is no JSON.
json parsed_line(const std::string& text) {
    try {
        return parse_json(text);
    } catch (const json::exception&) {
        return {};
    }
}

std::string said(const json& line) {
    return fmt::format("rank {} on {}, {}: {}", as_it_stands(line, "rank"),
                       as_it_stands(line, "host"), as_it_stands(line, "phase"),
                       as_it_stands(line, "reason"));
}

}  // namespace

std::string reason_of_end(const std::filesystem::path& journal, const Record& record) {
    const std::filesystem::path output = journal.parent_path() / journal.stem();
    std::ifstream log(output.string() + ".failures.jsonl");
    return reason_in(log, record);
}

std::string reason_in(std::istream& log, const Record& record) {
    const json start =
        record.identity.contains("start_time") ? record.identity.at("start_time") : json();
    for (std::string text; std::getline(log, text);) {
        const json line = parsed_line(text);
        if (!line.is_object() || !line.contains("time")) continue;
        if (to_the_second(line.at("time")) >= to_the_second(start)) return said(line);
    }
    return "killed, or the power was lost: nobody could say why";
}

}  // namespace shardstone::results
