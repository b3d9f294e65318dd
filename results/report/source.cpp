// SPDX-License-Identifier: BSD-3-Clause
// Records that a report is made of are read, or refused with a reason, and told apart by name.
#include "results/report/source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/markup.hpp"
#include "kernels/base/shell.hpp"
#include "results/record/environment.hpp"
#include "results/record/fault.hpp"
#include "results/record/incomplete.hpp"
#include "results/record/nature.hpp"
#include "results/report/html.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"
#include "results/schema/scaling.hpp"

namespace shardstone::results {

namespace {

void require_no_folder(const std::filesystem::path& path) {
    std::error_code ignored, closed;
    if (!std::filesystem::is_directory(path, ignored)) return;
    const std::filesystem::directory_iterator first(path, closed);
    fail(closed ? "it is a folder that cannot be read: " + closed.message()
                : "it is a folder without records");
}

/// Nothing, and why, where the file cannot be read.
std::optional<Source> read_source(const std::filesystem::path& path, std::string& objection) {
    try {
        require_no_folder(path);
        Source source{path, read_record(path), {}};
        source.hash = source.record.hash;
        return source;
    } catch (const Error& error) {
        objection = error.what();
        return std::nullopt;
    }
}

/// The last `parts` parts of a path.
std::string end_of(const std::filesystem::path& path, std::ptrdiff_t parts) {
    const auto all = std::distance(path.begin(), path.end());
    std::filesystem::path end;
    for (auto part = std::next(path.begin(), std::max<std::ptrdiff_t>(0, all - parts));
         part != path.end(); ++part) {
        end /= *part;
    }
    return end.string();
}

void name_files(std::vector<Source>& sources) {
    for (Source& source : sources) {
        const auto all = std::distance(source.path.begin(), source.path.end());
        const auto is_shared = [&](std::ptrdiff_t parts) {
            return 1 < std::ranges::count(
                           sources, end_of(source.path, parts),
                           [&](const Source& other) { return end_of(other.path, parts); });
        };
        std::ptrdiff_t parts = 1;
        while (parts < all && is_shared(parts)) ++parts;
        source.name = end_of(source.path, parts);
    }
}

/// Of a record of scaling curves, which may have been made anywhere: where their runs were; else
/// "".
std::string machines_of_runs(const Source& source) {
    std::vector<std::string> machines;
    for (const auto& row : rows<ScalingCurveRow>(source)) {
        if (std::ranges::find(machines, row.machine) == machines.end())
            machines.push_back(row.machine);
    }
    return listed(machines);
}

void name_machines(std::vector<Source>& sources) {
    for (Source& source : sources) {
        const bool is_shared = std::ranges::any_of(sources, [&](const Source& other) {
            return host_of(other) == host_of(source) && machine_of(other) != machine_of(source);
        });
        const std::string of_runs = machines_of_runs(source);
        source.machine = !of_runs.empty() ? of_runs
                         : is_shared      ? machine_name(source)
                                          : host_of(source);
        if (is_emulated(source)) source.machine += ", emulated GPUs";
    }
}

std::string text_of(const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string objection_to(const Record& record) {
    try {
        require_readable(record);
    } catch (const Error& error) {
        return error.what();
    }
    const auto& checks = record.verification;
    if (checks.empty()) {
        return "it holds no verification to support its numbers: run it again with its checks on";
    }
    const auto failed = std::ranges::find(checks, false, &Check::passed);
    if (failed == checks.end()) return "";
    return "it did not pass its verification: " + fault_of(*failed);
}

bool was_stalled(const Record& record) {
    const auto incomplete = find_incomplete(record.verification);
    return record.kind == "interconnect" && incomplete != record.verification.end() &&
           incomplete->detail.find("stalled: ") != std::string::npos;
}

void refuse(Source source, const std::string& file, std::string why, Given& given) {
    if (was_stalled(source.record)) {
        why = "of it only how it ended is shown, and nothing that it measured: " + why;
        given.stalled.push_back(std::move(source));
    }
    given.refused.push_back({file, std::move(why)});
}

void name_apart(std::vector<Source>& sources) {
    name_files(sources);
    name_machines(sources);
}

Given read_sources(const std::vector<std::filesystem::path>& paths, const std::string& nothing) {
    Given given;
    std::map<std::string, std::string> seen;
    for (const auto& path : paths) {
        std::string objection;
        bool is_twin = false;
        if (auto source = read_source(path, objection)) {
            const auto [first, fresh] = seen.emplace(source->hash, path.string());
            is_twin = !fresh;
            objection = fresh ? objection_to(source->record)
                              : fmt::format("it is the same run as '{}', which is shown once",
                                            first->second);
            if (objection.empty()) {
                given.sources.push_back(*std::move(source));
            } else if (fresh) {
                refuse(*std::move(source), path.string(), std::exchange(objection, ""), given);
            }
        }
        if (!objection.empty()) given.refused.push_back({path.string(), objection, is_twin});
    }
    name_apart(given.sources);
    name_apart(given.stalled);
    require(!given.sources.empty() || !given.stalled.empty(), [&] {
        if (given.refused.empty()) return std::string("no record given");
        std::string why = nothing;
        for (const NotShown& refused : given.refused) {
            why += fmt::format("{}'{}' is not shown: {}", why == nothing ? ": " : "; ",
                               refused.file, refused.why);
        }
        return why;
    });
    return given;
}

std::string command_of(const Source& source) {
    const Record& record = source.record;
    auto words = record.identity.value("command_line", std::vector<std::string>{});
    if (words.empty()) return "";
    words.front() = std::filesystem::path(words.front()).filename().string();
    auto variables = chosen_variables(record.environment);
    if (names_an_emulated_gpu(record)) {
        words.front() = "bin/emulated/" + words.front();
        // Records did not always tell how many there were.
        const auto used = environment_text(source, "/gpus/different");
        const char* const devices = "SHARDSTONE_EMULATED_DEVICES";
        if (!used.empty() && !variables.contains(devices)) variables[devices] = used;
    }
    std::string line;
    for (const auto& [name, value] : variables.items()) {
        line += fmt::format("{}={} ", name, for_the_shell(value.get<std::string>()));
    }
    const auto ranks = record.environment.value("ranks", nlohmann::json());
    if (ranks.is_number() && ranks.get<double>() >= 2.0) {
        line += fmt::format("mpiexec -n {} ", ranks.dump());
    }
    for (auto& word : words) word = for_the_shell(word);
    return line + fmt::format("{}", fmt::join(words, " "));
}

std::string origin_html(const std::vector<const Source*>& sources) {
    std::vector<std::string> files;
    std::string lines;
    for (const Source* source : sources) {
        if (std::ranges::find(files, source->file()) != files.end()) continue;
        files.push_back(source->file());
        lines += fmt::format("<div>{}: <code>{}</code></div>\n", escape_markup(source->file()),
                             escape_markup(command_of(*source)));
    }
    if (files.size() < 2) return "<div class=\"origin\">" + lines + "</div>\n";
    return fmt::format("<details class=\"origin\"><summary>From {}</summary>\n{}</details>\n",
                       escape_markup(listed(files)), lines);
}

std::string environment_text(const Source& source, const std::string& pointer) {
    const nlohmann::json::json_pointer path(pointer);
    const auto& environment = source.record.environment;
    return environment.contains(path) ? text_of(environment.at(path)) : "";
}

std::string setting_text(const Source& source, const std::string& key,
                         const std::string& otherwise) {
    const auto& configuration = source.record.configuration;
    return configuration.contains(key) ? text_of(configuration.at(key)) : otherwise;
}

}  // namespace shardstone::results
