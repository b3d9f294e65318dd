// SPDX-License-Identifier: BSD-3-Clause
// `shardstone compare`: the same benchmark in two sets of records, row by row with a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/compare_screen.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/percent.hpp"
#include "kernels/base/units.hpp"
#include "results/convert/rows.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/report/page.hpp"

namespace shardstone::command::compare_command {

namespace {

namespace fs = std::filesystem;
using results::Comparison;
using results::ComparisonRow;

struct Options {
    std::vector<fs::path> records;
    std::string baseline;
    std::string fail_if_worse;
    std::string margin = "3%";
    std::string run_deviation;
    std::string json, csv, report;
};

/// Paths of A and of B.
struct Sides {
    std::vector<fs::path> a, b;
};

Sides sides_of(const Options& options) {
    if (!options.baseline.empty()) return {{options.baseline}, options.records};
    require(options.records.size() == 2, [&] {
        return fmt::format(
            "compare: give A and B, two records or folders of records, not {}; with "
            "--baseline A any number of records B",
            options.records.size());
    });
    return {{options.records[0]}, {options.records[1]}};
}

/// Every file below the paths of both sides: no output may replace one.
std::vector<fs::path> inputs_of(const Sides& sides) {
    auto inputs = results::records_below(sides.a);
    const auto more = results::records_below(sides.b);
    inputs.insert(inputs.end(), more.begin(), more.end());
    return inputs;
}

results::Record record_of(const Comparison& comparison, const results::JudgeOptions& how) {
    auto record =
        results::new_record("compare", "Comparison of two sets of records", command_line());
    results::fill_record(comparison, how, record);
    return record;
}

/// A page that holds the comparison alone.
void write_page(const results::Record& record, const Comparison& comparison,
                const std::string& path) {
    results::Source source{"this comparison", record, ""};
    source.name = "this comparison";
    source.machine = "records of A and B";
    const std::vector<results::Source> sources{source};
    const auto section = results::comparison_section(sources);
    const auto counts =
        fmt::format("A has {}, B {}.", comparison.records_of("A"), comparison.records_of("B"));
    results::write_file(path, results::make_page({"Is B as fast as A?", counts}, {*section}));
}

void write_outputs(const Options& options, const Comparison& comparison,
                   const results::JudgeOptions& how) {
    const auto record = record_of(comparison, how);
    write_each({[&] { write_record(record, options.json, ""); },
                [&] {
                    if (options.csv.empty()) return;
                    results::write_file(options.csv, results::to_csv(record.table("comparison")));
                },
                [&] {
                    if (!options.report.empty()) write_page(record, comparison, options.report);
                }});
}

std::vector<ComparisonRow> rows_worse_by(const Comparison& comparison, double limit) {
    std::vector<ComparisonRow> worse = comparison.rows;
    std::erase_if(worse, [&](const ComparisonRow& row) {
        return row.verdict != "worse" || row.worse_by < limit;
    });
    std::ranges::sort(worse, std::greater<>(), &ComparisonRow::worse_by);
    return worse;
}

/// Rows of A that B lacks, and undecided ones in which such a change could not have been seen.
void warn_of_gaps(const Comparison& comparison, double limit) {
    const auto missing =
        std::ranges::count(comparison.missing, "A", &results::ComparisonMissingRow::only_in);
    if (missing > 0) {
        fmt::print(
            stderr,
            "shardstone compare: warning: {} of A {} missing in B, listed as \"only in A\"\n",
            counted(missing, "row"), missing == 1 ? "is" : "are");
    }
    const auto blind = std::ranges::count_if(comparison.rows, [&](const ComparisonRow& row) {
        return row.verdict == "undecided" && !(row.noise_floor <= limit && row.disturbed == 0.0);
    });
    if (blind > 0) {
        fmt::print(stderr,
                   "shardstone compare: warning: {} could be worse by {:.3g} % without being seen: "
                   "they are undecided\n",
                   counted(blind, "row"), 100.0 * limit);
    }
}

int judge_worse(const Options& options, const Comparison& comparison) {
    if (options.fail_if_worse.empty()) return 0;
    const double limit = parse_percent(options.fail_if_worse);
    warn_of_gaps(comparison, limit);
    const auto worse = rows_worse_by(comparison, limit);
    if (worse.empty()) return 0;
    fmt::print(stderr, "shardstone compare: {} of {} worse by {:.3g} % or more, most of all {}\n",
               worse.size(), counted(std::ssize(comparison.rows), "row"), 100.0 * limit,
               worse_row_text(worse.front()));
    return number_of(ExitCode::check_failed);
}

/// What would fail is not the same.
results::JudgeOptions rules_of(const Options& options) {
    results::JudgeOptions rules;
    rules.margin = parse_percent(options.margin);
    rules.deviation_is_stated = !options.run_deviation.empty();
    if (rules.deviation_is_stated) rules.run_deviation = parse_percent(options.run_deviation);
    if (!options.fail_if_worse.empty()) {
        rules.margin = std::min(rules.margin, parse_percent(options.fail_if_worse));
    }
    return rules;
}

int run(const Options& options) {
    const Sides sides = sides_of(options);
    require_outputs_writable({options.json, options.csv, options.report}, inputs_of(sides));
    const results::JudgeOptions how = rules_of(options);
    const Comparison comparison = [&] {
        ProgressLine progress(true, "reading records");
        const auto a = results::read_side(sides.a), b = results::read_side(sides.b);
        progress.say("comparing records");
        return results::compare(a, b, how);
    }();
    fmt::print("{}", comparison_text(comparison, how));
    write_outputs(options, comparison, how);
    return judge_worse(options, comparison);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    app.add_option("RECORD", options->records,
                   "A and B, each a record (.h5 or .json) or a folder of them; with --baseline all "
                   "are B")
        ->required()
        ->expected(1, -1);
    app.add_option("--baseline", options->baseline,
                   "Record or folder of records A with which the others are compared");
    app.add_option("--fail-if-worse", options->fail_if_worse,
                   "End with code 1 if a row is worse, and by at least this percentage")
        ->check(percentage())
        ->type_name("PERCENT");
    app.add_option("--margin", options->margin,
                   "Changes up to this percentage are the same (at most that of --fail-if-worse)")
        ->check(percentage())
        ->type_name("PERCENT")
        ->capture_default_str();
    app.add_option(
           "--run-deviation", options->run_deviation,
           "Standard deviation between runs, for rows with one run on each side: without it "
           "they get no verdict, and 5% is assumed for interval and floor")
        ->check(percentage(0.0001))
        ->type_name("PERCENT");
    app.add_option("--json", options->json, "Write the comparison as a record; - for stdout");
    app.add_option("--csv", options->csv, "Write its rows as CSV");
    app.add_option("--report", options->report, "Write it as an HTML page");
    declare_force(app);
    return [options] { return run(*options); };
}

const Registration registration{
    {"compare", "Compare two sets of records row by row: better, worse, same or undecided",
     "Two systems, two dates or two settings: A and B hold runs of the same benchmark. What "
     "differs "
     "between their environments and settings is listed first, such as another version of a "
     "library. Then follows, for each row that both have, the ratio B/A.\n"
     "Repeat the runs: runs with equal settings are repetitions, and only they show how much "
     "results vary by themselves. Five on each side show a change of 5 % if runs differ by 1 %. "
     "Alternate A and B if you can, so that both see the same drift. With one run on each side "
     "there "
     "is no verdict, unless you state with --run-deviation how much runs differ.\n"
     "same: the 95 % interval of the ratio lies within the margin. This rule comes first: a change "
     "beyond the floor but within the margin is the same, and its row says so.\n"
     "floor: the smallest change that these runs could have shown. Of the other rows B is better "
     "or worse where the ratio is beyond it. Equal systems show any such row in 1 comparison of "
     "100, however many rows it has (Student's t over the logarithms of the runs' medians, "
     "Benjamini-Hochberg over the rows).\n"
     "undecided: neither, or a side was measured only while the machine was busy (!).\n"
     "Compared are the times of collectives, of kernels, of steps on one core and of overlap, "
     "tokens/s of trainings, rates of the machine and the utilisation of pipelines; of validated "
     "interconnects ('validate interconnect', whatever their verdict) latency and rate of paths, "
     "times of pairs and of traffic, rates of halves, slowdown under load and work of ranks. Their "
     "pairs and ranks are named by host, so that nodes may come in another order. If the records "
     "of a side differ in a setting, it becomes part of the rows' names. Records that are "
     "incomplete, failed a check or have nothing to compare are left out by name, and so are "
     "broken ones; other files of a folder, such as those of 'shardstone submit', are no "
     "records.\n"
     "A slowdown by 3 % is 1.03 times the time, or 1 / 1.03 of the rate. --fail-if-worse ignores "
     "undecided rows and rows that B lacks, but warns of both.\n"
     "Exit codes: 0 compared, 1 a row is worse (with --fail-if-worse), 2 nothing could be "
     "compared.\n"
     "Examples\n"
     "  shardstone compare monday tuesday\n"
     "  shardstone compare fp32.h5 bf16.h5 --report precision.html\n"
     "  for i in 1 2 3 4 5; do mpiexec -n 8 shardstone collectives --json new/$i.json; done\n"
     "  shardstone compare --baseline accepted new --fail-if-worse 3%",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::compare_command
