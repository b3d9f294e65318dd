// SPDX-License-Identifier: BSD-3-Clause
// shardstone bundle: records, their report and tables in one archive that others can check.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "jobs/command/command.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/progress.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/shared_files.hpp"
#include "results/bundle/acceptance.hpp"
#include "results/bundle/gather.hpp"
#include "results/bundle/sha256.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/record/nature.hpp"
#include "results/schema/own_verdict.hpp"
#include "validation/interconnect/acceptance_file.hpp"

namespace shardstone::command::bundle_command {

namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<fs::path> records;
    fs::path acceptance;
    fs::path out;
};

/// The file of --acceptance, which holds limits; nothing if the option was not given.
std::optional<fs::path> acceptance_file(const fs::path& named) {
    if (named.empty()) return std::nullopt;
    const fs::path path = found_shared("acceptance", named);
    std::error_code ignored;
    require(fs::is_regular_file(path, ignored), [&] {
        return fmt::format(
            "--acceptance '{}' is no file that exists: give an acceptance file, or the name of "
            "one of: {}",
            named.string(), fmt::join(shared_names("acceptance"), ", "));
    });
    try {
        validation::parse_acceptance(results::read_file(path), path.string());
    } catch (const Error& error) {
        fail(fmt::format("--acceptance '{}' is no acceptance file: {}", named.string(),
                         error.what()));
    }
    return path;
}

/// A file beside records that it has nothing to do with would only seem to be what they were
/// judged by.
void require_use(const results::BundleContents& contents, const fs::path& named) {
    require(named.empty() || !results::use_of_acceptance(contents).judged.empty(), [&] {
        return fmt::format(
            "--acceptance '{}': no record of the bundle was judged by it ('validate interconnect "
            "--accept' does so): leave it out",
            named.string());
    });
}

/// What is in the bundle and what is not, and what its reader must know.
void tell_contents(const results::Gathered& gathered, const results::Given& given) {
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
}

int run(const Options& options) {
    require(options.out.extension() == ".zip", [&] {
        return fmt::format("--out '{}' must end in .zip, by which 'shardstone verify' knows it",
                           options.out.string());
    });
    const auto acceptance = acceptance_file(options.acceptance);
    auto inputs = results::records_below(options.records);
    if (acceptance) inputs.push_back(*acceptance);
    require_outputs_writable({options.out}, inputs);
    ProgressLine progress(true, "reading records");
    const auto gathered = results::gather(options.records, acceptance);
    const auto& contents = gathered.contents;
    require_use(contents, options.acceptance);
    progress.say("making report and tables");
    const auto given = results::given_of(contents);
    const std::string bytes = results::to_zip(results::bundle_files(contents));
    results::write_file(options.out, bytes);
    tell_contents(gathered, given);
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
                   fmt::format("acceptance file (TOML) by which the records were judged, or the "
                               "name of one of: {}; stored as it is",
                               fmt::join(shared_names("acceptance"), ", ")));
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
     "simulated, emulated (on no real GPU) or described (by the files of topology --root), and the "
     "names of those that were "
     "not measured end in it: train.paced.h5. The "
     "same records in the same order give the same bytes.\n"
     "The acceptance file must be, byte for byte, the one by which 'validate interconnect' judged "
     "the records: another, or one by which none of them was judged, ends the command with code "
     "2; another in a bundle makes that BAD to 'verify'. "
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
