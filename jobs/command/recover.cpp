// SPDX-License-Identifier: BSD-3-Clause
// `shardstone recover`: an incomplete record of what a run had finished when it was ended.
#include "results/journal/recover.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "jobs/command/command.hpp"
#include "jobs/command/go_on.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/reason.hpp"
#include "results/record/incomplete.hpp"

namespace shardstone::command::recover_command {

namespace {

namespace fs = std::filesystem;

constexpr const char* details =
    R"(collectives, kernels, train, validate and study, when they write a record (--json, --hdf5), keep a
journal next to it, RECORD.journal, with every finished point, sum, kernel, step, batch size or verdict
and its samples; but what each rank did in a step, and what else the machine did during the run (tables
rank_steps and surroundings), are known only to a run that ends normally. The journal is removed once
the record is written. If it is still there, the run ended early: it was killed, lost its node, or a
rank failed. overlap and step, which take a minute and give one figure, keep no journal.

The record holds everything in the journal and a failed check, "the run was complete", which says how
far the run came and, if a rank could still report it, why it ended. `show` shows it, `convert` converts
it to CSV, no report shows its numbers. collectives (without --accuracy), kernels, validate and study
continue from the journal, or from this record (--resume), and measure only what is missing; the line
"to continue" shows how (of validate interconnect only a soak continues). From a journal with a damaged
line the record has what precedes that line, and says what is lost; the journal is then kept as
RECORD.journal.damaged.

Examples
  shardstone recover sweep.h5.journal               makes sweep.h5 and removes the journal
  shardstone recover sweep.h5.journal --json s.json
  mpiexec -n 8 shardstone collectives -e 64M --hdf5 sweep.h5 --resume sweep.h5.journal

Exit codes: shardstone --help)";

struct RecoverOptions {
    fs::path journal;
    fs::path json;
    fs::path hdf5;
};

/// Without --json and --hdf5 the file that the run was to write, in the form that its name has.
void name_output(RecoverOptions& options) {
    if (!options.json.empty() || !options.hdf5.empty()) return;
    require(options.journal.extension() == results::journal_ending, [&] {
        return fmt::format("'{}' does not end in {}: name the output with --json or --hdf5",
                           options.journal.string(), results::journal_ending);
    });
    const fs::path output = options.journal.parent_path() / options.journal.stem();
    const fs::path ending = output.extension();
    (ending == ".h5" || ending == ".hdf5" ? options.hdf5 : options.json) = output;
}

/// Somebody may know how to mend a damaged one, which is not in the way under its new name.
bool put_away(const fs::path& journal, const fs::path& name) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(name, error))) return false;
    fs::rename(journal, name, error);
    return !error;
}

std::string lost_in_words(const results::Unfinished& run) {
    return fmt::format("{}: it and all that follows, {} in all, left out", run.damage,
                       counted(run.lost_lines, "line"));
}

/// A record is what this would make.
void require_no_record(const fs::path& path) {
    if (results::looks_like_journal(path)) return;
    std::optional<results::Record> record;
    try {
        record = results::read_record(path);
    } catch (const Error&) {
        return;  // who reads it as a journal says what it is
    }
    const auto& checks = record->verification;
    const auto incomplete = results::find_incomplete(checks);
    const std::string how = how_to_go_on(*record, path);
    fail(incomplete == checks.end()
             ? fmt::format("'{}' is already a record, of a run that completed", path.string())
             : fmt::format("'{}' is already a record, of a run that ended early ({}){}",
                           path.string(), incomplete->detail, how.empty() ? "" : "; " + how));
}

bool removed(const fs::path& path) {
    std::error_code error;
    fs::remove(path, error);
    return !error;
}

int recover(RecoverOptions options) {
    require(fs::exists(options.journal),
            [&] { return fmt::format("'{}' does not exist", options.journal.string()); });
    require_no_record(options.journal);
    name_output(options);
    require_outputs_writable({options.json, options.hdf5}, {}, options.journal);
    auto run = results::save_from_journal(options.journal);
    std::string why = results::reason_of_end(options.journal, run.record);
    if (!run.damage.empty()) why += "; " + lost_in_words(run);
    run.record.verification.push_back(results::incomplete_check(run.done, why));
    const fs::path damaged = options.journal.string() + ".damaged";
    bool gone = false;
    write_formats(run.record, options.json, options.hdf5, [&] {
        gone = gone ||
               (run.damage.empty() ? removed(options.journal) : put_away(options.journal, damaged));
    });
    fmt::print("{}: {}\n{}{}\n", run.record.identity.value("title", ""), run.done, why,
               run.torn ? "\nthe last line was incomplete, and is left out" : "");
    for (const auto& path : {options.json, options.hdf5}) {
        if (!path.empty()) fmt::print("# written to {}\n", path.string());
    }
    if (!gone) {
        fmt::print("# '{}' cannot be removed, and stays\n", options.journal.string());
    } else if (!run.damage.empty()) {
        fmt::print("# the damaged journal is now '{}'\n", damaged.string());
    }
    const std::string how =
        how_to_go_on(run.record, options.json.empty() ? options.hdf5 : options.json);
    const std::string last = how.empty() ? why_it_does_not_go_on(run.record) : how;
    if (!last.empty()) fmt::print("{}\n", last);
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<RecoverOptions>();
    app.add_option("JOURNAL", options->journal, "RECORD.journal, left by a run that ended early")
        ->required();
    app.add_option("--json", options->json, "Write the record as JSON");
    app.add_option("--hdf5", options->hdf5,
                   "Write the record as HDF5 (with neither: RECORD, in the format of its name)");
    declare_force(app);
    return [options] { return recover(*options); };
}

const Registration registration{
    {"recover", "Make an incomplete record of what a run finished before it ended early", details,
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::recover_command
