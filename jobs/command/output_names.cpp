// SPDX-License-Identifier: BSD-3-Clause
// Outputs that are not in each other's way.
#include "jobs/command/output_names.hpp"

#include <fmt/format.h>

#include <string>

#include "jobs/command/standard_streams.hpp"
#include "kernels/base/error.hpp"
#include "results/journal/journal.hpp"

namespace shardstone::command {

namespace {

namespace fs = std::filesystem;

constexpr const char* output_mark = "output";

/// What a run writes beside an output while it goes on, or fails.
struct Companion {
    std::string ending;
    const char* what;
};
const std::vector<Companion>& companions() {
    static const std::vector<Companion> both{{std::string(results::journal_ending), "journal"},
                                             {".failures.jsonl", "failure log"}};
    return both;
}

/// "FOLDER/" names the same as "FOLDER".
fs::path without_last_slash(const fs::path& path) {
    return path.has_filename() ? path : path.parent_path();
}

void require_no_companion(const fs::path& output, const fs::path& other) {
    for (const auto& [ending, what] : companions()) {
        const fs::path companion = without_last_slash(other).string() + ending;
        require(!is_same_file(output, companion), [&] {
            return fmt::format("'{}' is reserved for the {} of '{}': choose another file",
                               output.string(), what, other.string());
        });
    }
}

}  // namespace

bool is_same_file(const fs::path& one, const fs::path& other) {
    std::error_code ignored;
    if (fs::equivalent(one, other, ignored)) return true;
    // Absolute first: what is not there yet would stay as it was written.
    const auto full = [&](const fs::path& path) {
        return fs::weakly_canonical(fs::absolute(without_last_slash(path), ignored), ignored);
    };
    return full(one) == full(other);
}

CLI::Option* mark_output(CLI::Option* option) {
    return option->check([](const std::string&) { return std::string(); }, "", output_mark);
}

bool is_marked_output(CLI::Option& option) {
    try {
        return option.get_validator(output_mark) != nullptr;
    } catch (const CLI::OptionNotFound&) {
        return false;
    }
}

void require_names_apart(const std::vector<fs::path>& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const fs::path &one = outputs[i], &other = outputs[j];
            if (one.empty() || other.empty()) continue;
            require(!is_same_file(one, other), [&] {
                return fmt::format("'{}' is given for two outputs: give each its own file",
                                   one.string());
            });
            if (one == stdout_name || other == stdout_name) continue;
            require_no_companion(one, other);
            require_no_companion(other, one);
        }
    }
}

void require_place_for_journal(const fs::path& journal) {
    std::error_code ignored;
    const auto status = fs::symlink_status(journal, ignored);
    if (!fs::exists(status) || fs::is_regular_file(status)) return;
    const char* kind = fs::is_symlink(status)     ? "a symbolic link"
                       : fs::is_directory(status) ? "a folder"
                                                  : "not a regular file";
    fail(
        fmt::format("'{}' is {}, in the place of the run's journal: remove it, or choose "
                    "another file for the output",
                    journal.string(), kind));
}

}  // namespace shardstone::command
