// SPDX-License-Identifier: BSD-3-Clause
// shardstone report: records in, one HTML page out.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/outputs.hpp"
#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/report/page.hpp"

namespace shardstone::command::report_command {

namespace {

struct Options {
    std::vector<std::filesystem::path> records;
    std::filesystem::path out = "report.html";
};

/// A folder without records, which a glob may meet, is refused by name with the other files.
std::vector<std::filesystem::path> files_of(const std::vector<std::filesystem::path>& paths) {
    std::vector<std::filesystem::path> files;
    for (const auto& path : paths) {
        results::require_there(path);
        try {
            const auto found = results::records_below({path});
            files.insert(files.end(), found.begin(), found.end());
        } catch (const Error&) {
            files.push_back(path);
        }
    }
    return files;
}

/// Before a page that is in the way is complained of, which is none of the user's mistake then; and
/// before all of many records are read.
void require_any_record(const std::vector<std::filesystem::path>& files) {
    if (std::ranges::any_of(files, results::looks_like_record)) return;
    static_cast<void>(results::read_sources(files));  // throws, and says of each file why
}

/// Under the name of a record, or of a picture, a page would be taken for one.
void require_page_name(const std::filesystem::path& out) {
    const std::string ending = out.extension().string();
    require(ending.empty() || ending == ".html" || ending == ".htm", [&] {
        return fmt::format(
            "--out {}: what is written is an HTML page: give a name that ends in .html",
            out.string());
    });
}

int run(const Options& options) {
    const auto files = files_of(options.records);
    require_any_record(files);
    require_outputs_writable({options.out}, files);
    require_page_name(options.out);
    const auto given = results::read_sources(files);
    const auto sections = results::make_sections(given);
    const auto page = results::make_page(results::page_head(given), sections);
    results::write_file(options.out, page);
    for (const auto& refused : given.refused) {
        fmt::print(stderr, "shardstone report: '{}' is not shown: {}\n", refused.file, refused.why);
    }
    fmt::print("Findings\n{}\nReport: {}\n", results::findings_as_text(sections),
               std::filesystem::absolute(options.out).string());
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("RECORD", options->records,
                   "records (.h5 or .json), one per run, or folders of them")
        ->required()
        ->expected(1, -1);
    app.add_option("--out", options->out, "output file")->capture_default_str();
    declare_force(app);
    return [options] { return run(*options); };
}

const Registration registration{
    {"report", "Make one self-contained HTML page from the records of several runs",
     "The page needs no network. It shows every table of every record, of whatever kind and from "
     "older "
     "versions too, and lists what it does not show. Runs of different machines, models, "
     "splits or precisions share no curve and no ratio. The findings are also printed.\n"
     "Files that cannot be read, are damaged or are no records, and records that have no checks, "
     "have a "
     "failed one, or are given twice (also as JSON and HDF5 of the same run) are listed with the "
     "reason, "
     "on stderr and as not shown on the page; the others are shown. Of a validation of the "
     "interconnect "
     "that a stalled rank ended the stall is shown, as a finding, and nothing that was measured. "
     "Nothing is written if a "
     "file does not exist or nothing is left to show. The page carries a hash over all its bytes.\n"
     "Of a folder, such as that of 'shardstone submit', the records are taken.\n"
     "Exit codes: 0 a page was written (even if files were left out), 2 none was.\n"
     "Example:\n  shardstone report out/*.h5 --out report.html",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::report_command
