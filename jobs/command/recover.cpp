// SPDX-License-Identifier: BSD-3-Clause
// `shardstone recover`: an incomplete record of what a run had finished when it was ended.
#include "results/journal/recover.hpp"

#include <fmt/format.h>

#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/error.hpp"
#include "results/format/incomplete.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/reason.hpp"

namespace shardstone::command::recover_command {

namespace {

namespace fs = std::filesystem;

constexpr const char* details =
    R"(collectives, kernels, train, validate and study, where they write a record (--json, --hdf5), keep a
journal beside it, RECORD.journal: every point, sum, kernel, step, batch size or verdict that is finished,
with its samples. The journal goes when the record is written. Where it is still there, the run was ended
before: killed, its node lost, a rank failed. overlap and step, which take a minute and give one figure,
keep none.

The record holds everything that the journal has, and a check that fails, "the run was complete", which
says how far it came and, where a rank could still say so, why it was ended. `show` shows it, `convert`
takes it to CSV, no report takes it. collectives (without --accuracy), kernels, validate and study go on
from the journal, or from this record (--resume), and measure only what is missing.

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
        return fmt::format("'{}' does not end in {}: say with --json or --hdf5 what to write",
                           options.journal.string(), results::journal_ending);
    });
    const fs::path output = options.journal.parent_path() / options.journal.stem();
    const fs::path ending = output.extension();
    (ending == ".h5" || ending == ".hdf5" ? options.hdf5 : options.json) = output;
}

bool removed(const fs::path& path) {
    std::error_code error;
    fs::remove(path, error);
    return !error;
}

int recover(RecoverOptions options) {
    require(fs::exists(options.journal),
            [&] { return fmt::format("'{}' is not there", options.journal.string()); });
    name_output(options);
    require_outputs_writable({options.json, options.hdf5}, {options.journal});
    auto run = results::read_journal(options.journal);
    const std::string why = results::reason_of_end(options.journal, run.record);
    run.record.verification.push_back(results::incomplete_check(run.done, why));
    bool kept = false;
    write_formats(run.record, options.json, options.hdf5,
                  [&] { kept = !removed(options.journal); });
    fmt::print("{}: {}\n{}{}\n", run.record.identity.value("title", ""), run.done, why,
               run.torn ? "\nthe last line was being written, and is left out" : "");
    for (const auto& path : {options.json, options.hdf5}) {
        if (!path.empty()) fmt::print("# written to {}\n", path.string());
    }
    if (kept) fmt::print("# '{}' cannot be removed, and stays\n", options.journal.string());
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<RecoverOptions>();
    app.add_option("JOURNAL", options->journal, "RECORD.journal, which an ended run left")
        ->required();
    app.add_option("--json", options->json, "Write the record as JSON");
    app.add_option("--hdf5", options->hdf5,
                   "Write it as HDF5; with neither: to RECORD, by the ending of its name");
    declare_force(app);
    return [options] { return recover(*options); };
}

const Registration registration{{"recover",
                                 "An incomplete record of what an ended run had finished", details,
                                 declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::recover_command
