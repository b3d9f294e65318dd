// SPDX-License-Identifier: BSD-3-Clause
// Composes the shell command that resumes an incomplete run from the record or journal it left.
#include "jobs/command/go_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/command/standard_streams.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/shell.hpp"
#include "kernels/base/utf8.hpp"
#include "results/record/environment.hpp"
#include "results/record/incomplete.hpp"

namespace shardstone::command {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> kinds_that_go_on{
    "collectives", "kernels",    "equivalence",  "numerics",
    "pipeline",    "batch-size", "interconnect", "simulated_trials"};

/// --resume is given anew; of earlier points there is no timeline.
constexpr std::array<std::string_view, 2> options_left_out{"--resume", "--timeline"};

std::string& noted_line() {
    static std::string of_this_run;
    return of_this_run;
}

/// Without what a run that goes on is not given; --force neither, since the files of the run that
/// it goes on from may be replaced anyway, and others are not to be.
std::vector<std::string> words_that_stay(const std::vector<std::string>& words) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i], name = word.substr(0, word.find('='));
        if (std::ranges::find(options_left_out, name) != options_left_out.end()) {
            if (name == word) ++i;
        } else if (word != "--force") {
            kept.emplace_back(word);
        }
    }
    return kept;
}

/// "cd FOLDER && ", where the run was in another folder than this process.
std::string way_there(const results::Record& record) {
    const std::string folder = record.identity.value("folder", "");
    std::error_code gone;
    if (folder.empty() || as_utf8(fs::current_path(gone).string()) == folder) return "";
    return fmt::format("cd {} && ", for_the_shell(folder));
}

/// Of a validation of the interconnect only the soak goes on.
bool lacks_soak(const results::Record& record) {
    return record.kind == "interconnect" && !record.has_table("soak_windows");
}

}  // namespace

std::string command_to_go_on(const results::Record& record, const fs::path& from) {
    const bool goes_on = std::ranges::find(kinds_that_go_on, record.kind) != kinds_that_go_on.end();
    const auto words = record.identity.value("command_line", std::vector<std::string>{});
    if (!goes_on || words.empty() || record.configuration.value("noise_floor", false)) return "";
    if (lacks_soak(record)) return "";
    const int ranks = record.environment.value("ranks", 1);
    const std::string there = way_there(record);
    std::string command = there;
    const auto variables = results::chosen_variables(record.environment);
    for (const auto& [name, value] : variables.items()) {
        command += fmt::format("{}={} ", name, for_the_shell(value.get<std::string>()));
    }
    if (ranks > 1) command += fmt::format("mpiexec -n {} ", ranks);
    for (const auto& word : words_that_stay(words)) command += for_the_shell(word) + " ";
    return command + "--resume " +
           for_the_shell(there.empty() ? from.string() : fs::absolute(from).string());
}

std::string how_to_go_on(const results::Record& record, const fs::path& from) {
    const std::string command = command_to_go_on(record, from);
    return command.empty() ? "" : "to continue: " + command;
}

std::string why_it_does_not_go_on(const results::Record& record) {
    return lacks_soak(record) ? "it does not continue: it ended before a soak (--for) began, and "
                                "only that goes on (--resume): run the command again"
                              : "";
}

void note_how_to_go_on(const results::Record& record, const fs::path& json, const fs::path& hdf5) {
    const auto& from = json.empty() || json == stdout_name ? hdf5 : json;
    const auto& checks = record.verification;
    if (from.empty() || results::find_incomplete(checks) == checks.end()) return;
    noted_line() = how_to_go_on(record, from);
}

void say_how_to_go_on() {
    const std::string line = std::exchange(noted_line(), "");
    if (!line.empty()) say_failure(line.c_str(), /*with_rank=*/false);
}

}  // namespace shardstone::command
