// SPDX-License-Identifier: BSD-3-Clause
// shardstone report: records in, one HTML page out.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "jobs/command/command.hpp"
#include "jobs/command/outputs.hpp"
#include "results/format/atomic_file.hpp"
#include "results/report/page.hpp"
#include "results/report/plotly.hpp"

namespace shardstone::command {

namespace {

struct Options {
    std::vector<std::filesystem::path> records;
    std::filesystem::path out = "report.html";
    std::optional<std::filesystem::path> plotly;
};

int run(const Options& options) {
    auto inputs = options.records;
    if (options.plotly) inputs.push_back(*options.plotly);
    require_outputs_writable({options.out}, inputs);
    const auto sources = results::read_sources(options.records);
    const auto sections = results::make_sections(sources);
    const auto page = results::make_page(results::page_head(sources), sections,
                                         results::load_plotly(options.plotly));
    results::AtomicFile file(options.out);
    file.write(page);
    file.commit();
    fmt::print("Findings\n{}\nReport: {}\n", results::findings_as_text(sections),
               std::filesystem::absolute(options.out).string());
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("RECORD", options->records, "records (.h5 or .json), one per run")
        ->required()
        ->expected(1, -1);
    app.add_option("--out", options->out, "the page to write")->capture_default_str();
    app.add_option("--plotly", options->plotly,
                   "plotly.min.js to put into the page (found by itself on Debian with "
                   "python3-plotly)");
    declare_force(app);
    return [options] { return run(*options); };
}

const Registration registration{
    {"report", "One self-contained HTML page from the records of several runs",
     "The page opens without a network. Sections appear as records supply them: all-reduce curves "
     "beside the model's, training throughput and efficiency, losses, where the time goes, memory, "
     "kernel roofline, machine, every check, provenance. The findings are printed too.\n"
     "A record is refused by name, and nothing is written, when it is damaged, given twice (also "
     "as its twin in the other format), or has no passed verification.\n"
     "Example:\n  shardstone report out/*.h5 --out report.html",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command
