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
#include "results/bundle/gather.hpp"
#include "results/bundle/sha256.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/record/nature.hpp"

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

int run(const Options& options) {
    require(options.out.extension() == ".zip", [&] {
        return fmt::format("--out '{}' must end in .zip, by which 'shardstone verify' knows it",
                           options.out.string());
    });
    require_file(options.acceptance);
    const auto files = results::files_below(options.records, {".json", ".h5"});
    auto inputs = files;
    inputs.push_back(options.acceptance);
    require_outputs_writable({options.out}, inputs);
    ProgressLine progress(true, "reading records");
    const auto contents = results::gather(
        files, options.acceptance.empty() ? std::nullopt : std::optional(options.acceptance));
    progress.say("making report and tables");
    const auto given = results::given_of(contents);
    const std::string bytes = results::to_zip(results::bundle_files(contents));
    results::write_file(options.out, bytes);
    for (const auto& one : contents.records) {
        fmt::print("{:<10} {}\n", results::to_string(results::nature_of(one.record)), one.path());
    }
    for (const auto& refused : given.refused) {
        fmt::print("not in the report: {}: {}\n", refused.file, refused.why);
    }
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
                   "acceptance file (TOML), which is stored as it is");
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
     "Manifest and README say of each record whether it was measured, paced (train --pace) or "
     "simulated, and the names of those that were not measured end in it: train.paced.h5. The "
     "same records in the same order give the same bytes.\n"
     "A file that is damaged or no record ends the command with code 2. Records whose checks "
     "failed are in the archive, but not in its report.\n"
     "The archive shows changes, not who made it: sign it, or hand over the SHA-256 that is "
     "printed.\n"
     "Example:\n  shardstone bundle out/quickstart --acceptance limits.toml --out pod7.zip",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::bundle_command
