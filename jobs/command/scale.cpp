// SPDX-License-Identifier: BSD-3-Clause
// `shardstone scale`: trainings on growing numbers of ranks as curves, with every loss attributed.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/scale_screen.hpp"
#include "kernels/base/error.hpp"
#include "results/convert/rows.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/record/fault.hpp"
#include "results/report/in_no_curve.hpp"
#include "results/report/page.hpp"
#include "results/report/scaling_section.hpp"
#include "results/report/words.hpp"

namespace shardstone::command::scale_command {

namespace {

namespace fs = std::filesystem;

struct Options {
    std::vector<fs::path> records;
    std::string json, csv, report;
};

/// All of a few; of many, some and the number of the others.
std::vector<std::string> some_of(std::vector<std::string> many) {
    constexpr std::size_t most = 8;
    const std::size_t others = many.size() > most ? many.size() - most : 0;
    many.resize(many.size() - others);
    if (others > 0) many.push_back(results::plural(static_cast<double>(others), "other"));
    return many;
}

std::vector<results::ScalingCurve> curves_in(const results::Given& given) {
    auto curves = results::scaling_curves(given.sources);
    if (!curves.empty()) return curves;
    const auto have = results::in_no_curve({}, given.sources);
    throw Error(fmt::format(
        "scale: no curve: give trainings of one system on two or more numbers of ranks, with "
        "equal work per rank or an equal global batch; there are {}",
        results::listed(some_of(have))));
}

void write_outputs(const Options& options, const results::Given& given,
                   const std::vector<results::ScalingCurve>& curves,
                   const results::Record& record) {
    write_each({[&] { write_record(record, options.json, ""); },
                [&] {
                    if (options.csv.empty()) return;
                    results::write_file(options.csv, results::to_csv(record.table("scaling")));
                },
                [&] {
                    if (options.report.empty()) return;
                    const auto section = results::scaling_section_of(results::shown_curves(curves));
                    results::write_file(
                        options.report,
                        results::make_page(results::page_head(given.sources), {section}));
                }});
}

/// The checks of the record that failed, each in a line.
int failed_checks(const results::Record& record) {
    int failed = 0;
    for (const auto& check : record.verification) {
        if (check.passed) continue;
        fmt::print(stderr, "shardstone scale: {}\n", results::fault_of(check));
        ++failed;
    }
    return failed;
}

int run(const Options& options) {
    const auto files = results::records_below(options.records);
    require_outputs_writable({options.json, options.csv, options.report}, files);
    const auto given = [&] {
        const ProgressLine progress(true, "reading records");
        return results::read_sources(files, "no curve");
    }();
    require(!given.sources.empty(), [&] {
        return fmt::format("no curve: '{}' is not shown: {}", given.refused.front().file,
                           given.refused.front().why);
    });
    for (const auto& refused : given.refused) {
        fmt::print(stderr, "shardstone scale: '{}' does not count: {}\n", refused.file,
                   refused.why);
    }
    const auto curves = curves_in(given);
    for (const auto& curve : curves) fmt::print("{}\n", scaling_text(curve));
    for (const auto& left_out : some_of(results::in_no_curve(curves, given.sources))) {
        fmt::print("In no curve: {}\n", left_out);
    }
    auto record = results::new_record("scale", "Scaling of trainings", command_line());
    results::fill_record(curves, record);
    write_outputs(options, given, curves, record);
    return failed_checks(record) == 0 ? 0 : number_of(ExitCode::check_failed);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("RECORD", options->records,
                   "Records of trainings (.h5 or .json), or folders of them")
        ->required()
        ->expected(1, -1);
    app.add_option("--json", options->json, "Write the curves as a record; - for stdout");
    app.add_option("--csv", options->csv, "Write their points as CSV");
    app.add_option("--report", options->report, "Write them as an HTML page");
    declare_force(app);
    return [options] { return run(*options); };
}

const Registration registration{
    {"scale",
     "Scaling curves of trainings: efficiency, where the loss goes, and what models predict",
     "Records of one system on several numbers of ranks are a curve: of weak scaling where the "
     "work of a rank stays, of strong scaling where the global batch stays. Runs with equal "
     "settings are repetitions: intervals are over runs, and a disturbed run counts only where "
     "there is no other. Runs that chose differently (all-reduce, buckets, overlap, gradient wire, "
     "recomputation, placement of ranks on nodes) are of different curves; one on a single rank, "
     "to which that does not apply, is in each. `shardstone submit scaling-weak` makes such "
     "records.\n"
     "efficiency: the speed-up over the point with the fewest ranks, divided by the ratio of "
     "ranks. Above 100 % a rank does its work in less time than there, which the parts explain. "
     "Its interval lets runs vary on more ranks as they do there (Welch's t).\n"
     "part of a step: of trainings with --explain. The measured step is replayed without one loss "
     "after another; what it becomes shorter by is that part. The predicted step is split by the "
     "same rule. The parts add up to the mean of the steps that were split, the last ones of each "
     "run, which is checked where runs were not disturbed; shares of a step are of that. The "
     "median "
     "step, of which the rates are, is of all steps after the warm-up.\n"
     "if ...: by the same replay, what a step would be with the slowest links twice as fast, with "
     "all links as described, a core for every rank, perfect overlap, or the next best "
     "all-reduce. Computed, not measured.\n"
     "Models are fitted to all points but the largest and judged on that: Amdahl's law, the "
     "universal scalability law, and the cost model, as it is and scaled by what was measured on "
     "fewer ranks. A 95 % interval is the wider of two: by how runs differ, and, where a model has "
     "fewer numbers to fit than there are points, by how these miss it. Repeat the runs, and give "
     "more points.\n"
     "serial share: the share of all work that further ranks do not divide among them (Amdahl); "
     "the universal law calls it contention, and adds coherency, what each pair of ranks costs. "
     "Negative where ranks gain.\n"
     "cannot be judged: from disturbed points there are numbers, but no verdicts; and no rate in "
     "an interval wider than a factor of 2 speaks for a model.\n"
     "Exit codes: 0 done, 1 the parts of an undisturbed step do not add up to it within 2 %, 2 "
     "there is no curve.\n"
     "Examples\n"
     "  for n in 1 2 4; do\n"
     "    mpiexec -n $n shardstone train --model nano --steps 10 --plan dp=$n --global-batch $n "
     "--pace 5 --explain --json $n.json\n"
     "  done; shardstone scale 1.json 2.json 4.json --report scaling.html",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::scale_command
