// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/command/outputs.hpp"

#include <fmt/format.h>

#include <utility>

#include "jobs/command/output_names.hpp"
#include "jobs/command/standard_streams.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record.hpp"
#include "results/journal/journal.hpp"

namespace shardstone::command {

namespace {

namespace fs = std::filesystem;

/// One command line, one answer to whether files may be replaced.
bool& force() {
    static bool given = false;
    return given;
}

/// What the last call allowed: outputs and inputs.
std::pair<std::vector<fs::path>, std::vector<fs::path>>& allowed() {
    static std::pair<std::vector<fs::path>, std::vector<fs::path>> of_this_run;
    return of_this_run;
}

void require_no_input(const fs::path& output, const std::vector<fs::path>& inputs) {
    for (const auto& input : inputs) {
        require(input.empty() || !is_same_file(output, input), [&] {
            return fmt::format("'{}' is to be read and would be overwritten: write to another file",
                               output.string());
        });
    }
}

void require_replaceable(const fs::path& output) {
    std::error_code ignored;
    const bool there = fs::exists(fs::symlink_status(output, ignored));
    require(force() || !there, [&] {
        return fmt::format("'{}' exists already: choose another file, or --force to replace it",
                           output.string());
    });
}

constexpr std::uintmax_t least_room_bytes = std::uintmax_t{16} << 20;

/// What is left for this user on the disk that a file is to be on, where that is known.
std::optional<std::uintmax_t> room_for(const fs::path& output) {
    std::error_code error;
    if (fs::exists(output, error) && !fs::is_regular_file(output, error)) return std::nullopt;
    const auto space = fs::space(fs::absolute(output, error).parent_path(), error);
    return error ? std::nullopt : std::optional(space.available);
}

/// One of several outputs that does not fit costs itself; where none does, all of the run is lost.
void require_room(const std::vector<fs::path>& outputs) {
    std::string without;
    bool any_with = false;
    for (const auto& output : outputs) {
        const bool file = !output.empty() && output != stdout_name;
        const auto room = file ? room_for(output) : std::nullopt;
        const bool full = room && *room < least_room_bytes;
        any_with |= !output.empty() && !full;
        if (!full) continue;
        without +=
            fmt::format("{}'{}' is to be on a disk with {} left", without.empty() ? "" : "; ",
                        output.string(), format_size(static_cast<std::int64_t>(*room)));
    }
    if (without.empty()) return;
    without += fmt::format(", less than {}: make room, or choose another folder",
                           format_size(static_cast<std::int64_t>(least_room_bytes)));
    if (!any_with) fail(without);
    static bool said = false;
    if (!std::exchange(said, true)) fmt::print(stderr, "shardstone: warning: {}\n", without);
}

/// What a killed run had measured is lost to nobody who does not say so.
void require_no_journal(const fs::path& output, const std::vector<fs::path>& inputs) {
    const fs::path journal = output.string() + std::string(results::journal_ending);
    std::error_code ignored;
    require_place_for_journal(journal);
    require(!results::is_being_written(journal), [&] {
        return fmt::format("another run is writing '{}': wait for its end, or choose another file",
                           output.string());
    });
    if (force() || !fs::exists(fs::symlink_status(journal, ignored))) return;
    for (const auto& input : inputs) {
        if (is_same_file(journal, input)) return;
    }
    fail(
        fmt::format("'{0}' holds what a run that was ended had measured: make a record of it "
                    "(shardstone recover {0}), go on from it where the command has --resume "
                    "(--resume {0}), or --force to lose it",
                    journal.string()));
}

}  // namespace

void declare_force(CLI::App& app) {
    app.add_flag("--force", force(),
                 "Replace output files that are there already (of a symbolic link, the link)");
}

void require_outputs_writable(const std::vector<fs::path>& outputs,
                              const std::vector<fs::path>& inputs) {
    allowed() = {outputs, inputs};
    require_names_apart(outputs);
    for (const auto& output : outputs) {
        if (output.empty()) continue;
        if (output == stdout_name && stdout_is_for_json()) continue;
        require(output != stdout_name,
                "'-' stands for stdout with --json only: give a file (./- for one of that name)");
        require_no_input(output, inputs);
        results::require_writable(output);
        require_replaceable(output);
        require_no_journal(output, inputs);
        std::error_code ignored;
        const bool there = fs::exists(fs::symlink_status(output, ignored));
        if (!there && !force()) results::expect_absent(output);
    }
    require_room(outputs);
}

void require_outputs_still_writable() {
    const auto [outputs, inputs] = allowed();
    require_outputs_writable(outputs, inputs);
}

void write_each(const std::vector<std::function<void()>>& writes) {
    std::string failures;
    ExitCode code = ExitCode::output_lost;
    const auto failed = [&](const char* what) {
        failures += (failures.empty() ? "" : "; and ") + std::string(what);
    };
    for (const auto& write : writes) {
        try {
            write();
        } catch (const Error& error) {
            failed(error.what());
        } catch (const std::exception& error) {
            failed(error.what());
            code = ExitCode::our_bug;
        }
    }
    if (!failures.empty()) fail(failures, code);
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    require(!error, [&] {
        return fmt::format("cannot make the folder '{}': {}", folder.string(), error.message());
    });
}

}  // namespace shardstone::command
