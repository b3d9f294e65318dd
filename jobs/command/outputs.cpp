// SPDX-License-Identifier: BSD-3-Clause
// Keeps a run's outputs from overwriting existing files, resumable records and journals.
#include "jobs/command/outputs.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "jobs/command/failure_lines.hpp"
#include "jobs/command/go_on.hpp"
#include "jobs/command/output_names.hpp"
#include "jobs/command/standard_streams.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "results/format/atomic_file.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/recover.hpp"
#include "results/record/incomplete.hpp"
#include "results/record/record.hpp"

namespace shardstone::command {

namespace {

namespace fs = std::filesystem;

/// One command line, one answer to whether files may be replaced.
bool& force() {
    static bool given = false;
    return given;
}

/// What the last call allowed.
struct Allowed {
    std::vector<fs::path> outputs, inputs;
    fs::path resumed;
    std::set<std::string> ids;  ///< of the runs whose records may be replaced
    /// Outputs that were there before, or whose journal was, and how long their failure logs were.
    std::map<fs::path, std::uintmax_t> replaced;
};
Allowed& allowed() {
    static Allowed of_this_run;
    return of_this_run;
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

fs::path journal_of(const fs::path& output) {
    return output.string() + std::string(results::journal_ending);
}

void require_no_input(const fs::path& output, const std::vector<fs::path>& inputs) {
    for (const auto& input : inputs) {
        require(input.empty() || !is_same_file(output, input), [&] {
            return fmt::format(
                "'{}' is an input and would be overwritten: choose another output file",
                output.string());
        });
    }
}

/// Nothing where there is no record that can be read.
std::optional<results::Record> record_at(const fs::path& path) {
    try {
        return results::read_record(path);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// The run that is to be gone on from, and those that it went on from; none where it cannot be
/// read, which who reads it says.
std::set<std::string> ids_in(const fs::path& resumed) {
    std::set<std::string> ids;
    try {
        const auto record = results::looks_like_journal(resumed)
                                ? results::save_from_journal(resumed).record
                                : results::read_record(resumed);
        ids.insert(record.identity.value("id", ""));
        for (const auto& run : record.identity.value("continues", nlohmann::json::array())) {
            ids.insert(run.value("id", ""));
        }
    } catch (const std::exception&) {
        return {};
    }
    ids.erase("");
    return ids;
}

/// What to do about an output that is there, by what it holds.
std::string refusal_of(const fs::path& output, const std::optional<results::Record>& record) {
    const auto incomplete = record ? results::find_incomplete(record->verification)
                                   : std::vector<results::Check>::const_iterator{};
    if (!record || incomplete == record->verification.end()) {
        return fmt::format("'{}' already exists: choose another file, or --force to replace it",
                           output.string());
    }
    const std::string command = command_to_go_on(*record, output);
    return fmt::format(
        "'{}' already exists and holds an incomplete record ({}): {}choose another file, or "
        "--force to discard it",
        output.string(), incomplete->detail,
        command.empty() ? "" : "continue from it (" + command + "), ");
}

void require_replaceable(const fs::path& output) {
    if (force() || !is_there(output)) return;
    const auto record = record_at(output);
    if (record && allowed().ids.contains(record->identity.value("id", ""))) return;
    fail(refusal_of(output, record));
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
        without += fmt::format("{}'{}' is on a disk with {} left", without.empty() ? "" : "; ",
                               output.string(), format_size(static_cast<std::int64_t>(*room)));
    }
    if (without.empty()) return;
    without += fmt::format(", less than {}: make room, or choose another folder",
                           format_size(static_cast<std::int64_t>(least_room_bytes)));
    if (!any_with) fail(without);
    static bool said = false;
    if (!std::exchange(said, true)) fmt::print(stderr, "shardstone: warning: {}\n", without);
}

/// Of a journal in the way: what can be made of it.
std::string advice_on(const fs::path& journal) {
    const std::string name = journal.string();
    try {
        const auto run = results::save_from_journal(journal);
        return fmt::format(
            "'{0}' holds the results of a run that ended early: make a record of them (shardstone "
            "recover {0}), {1}or --force to discard them",
            name,
            run.damage.empty()
                ? fmt::format("continue from it if the command has --resume (--resume {}), ", name)
                : "");
    } catch (const Error& error) {
        return fmt::format("a journal is in the way: {}", error.what());
    }
}

/// What a killed run had measured is lost to nobody who does not say so.
void require_no_journal(const fs::path& output, const fs::path& resumed) {
    const fs::path journal = journal_of(output);
    require_place_for_journal(journal);
    require(!results::is_being_written(journal), [&] {
        return fmt::format(
            "another run is writing '{}': wait for it to end, or choose another file",
            output.string());
    });
    if (force() || !is_there(journal) || is_same_file(journal, resumed)) return;
    fail(advice_on(journal));
}

/// A record of the run that is gone on from is replaced whole by this one's; its journal is not.
bool goes_into_its_own_record(const fs::path& output, const fs::path& resumed) {
    return !resumed.empty() && is_same_file(output, resumed) && !allowed().ids.empty() &&
           !results::looks_like_journal(resumed);
}

void require_writable_output(const fs::path& output) {
    const auto& [outputs, inputs, resumed, ids, replaced] = allowed();
    require_no_input(output, inputs);
    if (!goes_into_its_own_record(output, resumed)) require_no_input(output, {resumed});
    results::require_writable(output);
    require_replaceable(output);
    require_no_journal(output, resumed);
}

/// Of the folder and those above it, the uppermost that does not exist; empty: all do.
fs::path first_missing(const fs::path& folder) {
    fs::path missing;
    for (fs::path above = fs::absolute(folder); !is_there(above); above = above.parent_path()) {
        missing = above;
    }
    return missing;
}

/// The folder and those above it up to `topmost`, as far as nothing is in them.
void remove_empty(const fs::path& folder, const fs::path& topmost) {
    if (topmost.empty()) return;
    std::error_code error;
    fs::path each = fs::absolute(folder);
    while (each != topmost && fs::remove(each, error)) each = each.parent_path();
    fs::remove(topmost, error);  // does nothing to one that is not empty
}

}  // namespace

void declare_force(CLI::App& app) {
    app.add_flag(
        "--force", force(),
        "Replace existing output files (a symbolic link itself, not its target), and with a "
        "record its RECORD.failures.jsonl");
}

void require_outputs_writable(const std::vector<fs::path>& outputs,
                              const std::vector<fs::path>& inputs, const fs::path& resumed) {
    allowed() = {
        outputs, inputs, resumed, resumed.empty() ? std::set<std::string>{} : ids_in(resumed), {}};
    require_names_apart(outputs);
    for (const auto& output : outputs) {
        if (output.empty()) continue;
        if (output == stdout_name && stdout_is_for_json()) continue;
        require(output != stdout_name,
                "'-' means stdout with --json only: give a file (./- for one of that name)");
        require_writable_output(output);
        const bool there = is_there(output);
        if (there || is_there(journal_of(output))) {
            allowed().replaced[output] = failure_bytes(output);
        }
        if (!there && !force()) results::expect_absent(output);
    }
    require_room(outputs);
}

void require_outputs_still_writable() {
    const auto last = allowed();
    require_outputs_writable(last.outputs, last.inputs, last.resumed);
    allowed().replaced = last.replaced;
}

void forget_failures_of_replaced() {
    for (const auto& [output, bytes] : allowed().replaced) forget_failures(output, bytes);
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

void make_folder(const fs::path& folder, const std::function<void()>& require_usable) {
    const fs::path topmost = first_missing(folder);
    std::error_code error;
    fs::create_directories(folder, error);
    require(!error, [&] {
        return fmt::format("cannot create the folder '{}': {}", folder.string(), error.message());
    });
    try {
        require_usable();
    } catch (...) {
        remove_empty(folder, topmost);
        throw;
    }
}

}  // namespace shardstone::command
