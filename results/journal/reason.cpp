// SPDX-License-Identifier: BSD-3-Clause
// Why a run ended early, as the failure logs beside its journal or elsewhere tell.
#include "results/journal/reason.hpp"

#include <fmt/format.h>

#include <fstream>

#include "kernels/base/failure_log.hpp"
#include "kernels/base/utf8.hpp"
#include "results/format/parse_json.hpp"
#include "results/journal/journal.hpp"

namespace shardstone::results {

namespace {

using nlohmann::json;

constexpr const char* nobody_said = "killed, or the power was lost: no rank could report why";

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

/// The first line since the record's run began that is `of_the_run`; empty: there is none.
template <class Predicate>
std::string first_said(std::istream& log, const Record& record, Predicate&& of_the_run) {
    const json start =
        record.identity.contains("start_time") ? record.identity.at("start_time") : json();
    for (std::string text; std::getline(log, text);) {
        const json line = parsed_line(text);
        if (!line.is_object() || !line.contains("time") || !of_the_run(line)) continue;
        if (to_the_second(line.at("time")) >= to_the_second(start)) return said(line);
    }
    return "";
}

bool names_output(const json& line, const std::filesystem::path& output) {
    if (!line.contains("output") || !line.at("output").is_string()) return false;
    std::error_code ignored;
    const auto full = [&](const std::filesystem::path& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
    };
    return full(line.at("output").get<std::string>()) == full(output);
}

}  // namespace

std::string reason_in(std::istream& log, const Record& record) {
    const std::string found = first_said(log, record, [](const json&) { return true; });
    return found.empty() ? nobody_said : found;
}

std::optional<ReasonElsewhere> reason_elsewhere(const std::filesystem::path& output,
                                                const Record& record) {
    for (const auto& log : failure_logs_elsewhere()) {
        std::ifstream file(log);
        const std::string found =
            first_said(file, record, [&](const json& line) { return names_output(line, output); });
        if (!found.empty()) return ReasonElsewhere{found, log};
    }
    return std::nullopt;
}

std::string reason_of_end(const std::filesystem::path& journal, const Record& record) {
    const std::filesystem::path output = journal.parent_path() / journal.stem();
    std::ifstream beside(output.string() + ".failures.jsonl");
    const std::string found = reason_in(beside, record);
    if (found != nobody_said) return found;
    const auto elsewhere = reason_elsewhere(output, record);
    return elsewhere ? elsewhere->words : found;
}

}  // namespace shardstone::results
