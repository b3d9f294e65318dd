// SPDX-License-Identifier: BSD-3-Clause
// shardstone bundle: records, their report and tables in one archive that others can check.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "jobs/command/command.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/progress.hpp"
#include "kernels/base/error.hpp"
#include "results/bundle/acceptance.hpp"
#include "results/bundle/gather.hpp"
#include "results/bundle/sha256.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/record/nature.hpp"
#include "results/schema/own_verdict.hpp"

namespace shardstone::command::bundle_command {

namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<fs::path> records;
    fs::path acceptance;
    fs::path out;
};

void require_file(const fs::path& path) {
    std::error_code ignored;
    require(path.empty() || fs::is_regular_file(path, ignored),
            [&] { return fmt::format("--acceptance '{}' is no file that exists", path.string()); });
}

/// What is in the bundle and what is not, and what its reader must know.
void tell_contents(const results::Gathered& gathered, const results::Given& given,
                   const fs::path& acceptance) {
    const auto& contents = gathered.contents;
    for (const auto& one : contents.records) {
        const auto own = results::own_verdict(one.record);
        fmt::print("{:<10} {}{}\n", results::to_string(results::nature_of(one.record)), one.path(),
                   own ? "; its verdict is " + results::verdict_words(*own) : "");
    }
    for (const auto& refused : given.refused) {
        fmt::print("not in the report: {}: {}\n", refused.file, refused.why);
    }
    for (const auto& twice : gathered.repeated) {
        fmt::print("not taken again: {}: {}\n", twice.file, twice.why);
    }
    for (const auto& broken : gathered.broken) {
        fmt::print(stderr, "shardstone bundle: '{}' is not in the bundle: {}\n", broken.file,
                   broken.why);
    }
    if (contents.acceptance && results::use_of_acceptance(contents).judged.empty()) {
        fmt::print(stderr,
                   "shardstone bundle: warning: no record of the bundle was judged by '{}', which "
                   "its README says\n",
                   acceptance.string());
    }
}

int run(const Options& options) {
    require(options.out.extension() == ".zip", [&] {
        return fmt::format("--out '{}' must end in .zip, by which 'shardstone verify' knows it",
                           options.out.string());
    });
    require_file(options.acceptance);
    auto inputs = results::records_below(options.records);
    inputs.push_back(options.acceptance);
    require_outputs_writable({options.out}, inputs);
    ProgressLine progress(true, "reading records");
    const auto gathered = results::gather(options.records, options.acceptance.empty()
                                                               ? std::nullopt
                                                               : std::optional(options.acceptance));
    const auto& contents = gathered.contents;
    progress.say("making report and tables");
    const auto given = results::given_of(contents);
    const std::string bytes = results::to_zip(results::bundle_files(contents));
    results::write_file(options.out, bytes);
    tell_contents(gathered, given, options.acceptance);
    fmt::print("Bundle: {}, {} bytes\nSHA-256 {}\n", fs::absolute(options.out).string(),
               bytes.size(), results::sha256_of(bytes));
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("RECORD", options->records, "records (.h5 or .json), or folders of them")
        ->required()
        ->expected(1, -1);
    app.add_option("--acceptance", options->acceptance,
                   "acceptance file (TOML) by which the records were judged, stored as it is");
    app.add_option("--out", options->out, "archive to write, FILE.zip")->required();
    declare_force(app);
    return [options] { return run(*options); };
}

const Registration registration{
    {"bundle", "Put records, their report and tables into one archive that others can check",
     "For whoever has to believe the figures: the archive holds each record as HDF5 and JSON, the "
     "report, every table as CSV, the acceptance file, a README with the versions and the "
     "commands that run it again, and a manifest with the SHA-256 of every file. 'shardstone "
     "verify FILE.zip' checks all of it without a network, makes the report again from the "
     "samples, and names whatever was changed, to the digit.\n"
     "Manifest and README say of each record whether it was measured, paced (train --pace), "
     "simulated or described (by the files of topology --root), and the names of those that were "
     "not measured end in it: train.paced.h5. The "
     "same records in the same order give the same bytes.\n"
     "The acceptance file must be, byte for byte, the one by which 'validate interconnect' judged "
     "the records: another ends the command with code 2, and makes a bundle BAD to 'verify'. "
     "Without --acceptance it is taken from the records, which hold its text. If "
     "none of the records was judged by a file, the bundle says so.\n"
     "A verdict of a record (PASS, FAIL, INCONCLUSIVE) stands in README and manifest too.\n"
     "Of a folder, such as that of 'shardstone submit', the records are taken; broken ones are "
     "named and left out. A file that is named and is damaged or no record ends the command with "
     "code 2. Records whose checks failed are in the archive, but not in its report.\n"
     "The archive shows changes, not who made it: sign it, or hand over the SHA-256 that is "
     "printed.\n"
     "Example:\n  shardstone bundle out/quickstart --acceptance limits.toml --out pod7.zip",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::bundle_command
