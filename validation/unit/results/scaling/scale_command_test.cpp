// SPDX-License-Identifier: BSD-3-Clause
// The real command on records of real paced trainings: its record, CSV, page and screen.
#include "validation/unit/results/scaling/scale_command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <regex>
#include <sstream>

#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/report/section.hpp"
#include "results/report/unbroken.hpp"
#include "results/report/words.hpp"
#include "results/schema/scaling.hpp"
#include "results/schema/training.hpp"

namespace shardstone::validation {
namespace {

using namespace results;
namespace fs = std::filesystem;

template <class Row>
std::vector<Row> rows_in(const Record& record) {
    return rows_of<Row>(record);
}

TEST_F(ScaleCommand, WritesWhatTheRecordsHold) {
    const auto outcome = scale("runs --json out.json --csv out.csv");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const Record record = record_at("out.json");
    const auto points = rows_in<ScalingRow>(record);
    ASSERT_EQ(points.size(), 3U);
    std::size_t undisturbed = 0;
    for (const int ranks : {1, 2, 3}) {
        const Record run = record_at(fmt::format("runs/{}.json", ranks));
        const auto summary = rows_in<TrainingRow>(run).front();
        const ScalingRow& point = points[static_cast<std::size_t>(ranks) - 1];
        EXPECT_EQ(point.ranks, ranks);
        EXPECT_EQ(point.runs, 1.0);
        EXPECT_EQ(point.disturbed, summary.disturbed);
        undisturbed += summary.disturbed > 0.0 ? 0 : 1;
        EXPECT_NEAR(point.tokens_per_s, summary.tokens_per_s, 1e-9 * summary.tokens_per_s);
        EXPECT_DOUBLE_EQ(point.tokens_per_s_low, summary.tokens_per_s_low);
        EXPECT_DOUBLE_EQ(point.tokens_per_s_high, summary.tokens_per_s_high);
        const auto base = rows_in<TrainingRow>(record_at("runs/1.json")).front().tokens_per_s;
        EXPECT_NEAR(point.efficiency, summary.tokens_per_s / base / ranks, 1e-9);
        double sum_s = 0.0;
        for (const auto& part : rows_in<GapRow>(run)) sum_s += part.time_s;
        if (!(summary.disturbed > 0.0)) {
            EXPECT_NEAR(sum_s, point.split_step_s, 0.02 * sum_s);
        }
        EXPECT_NEAR(sum_s, point.parts_s, 1e-12);
        for (const auto& change : rows_in<ScalingChangeRow>(record)) {
            if (change.ranks != ranks) continue;
            const auto all = rows_in<ChangedStepRow>(run);
            const auto same = std::ranges::find(all, change.change, &ChangedStepRow::change);
            EXPECT_NEAR(change.ratio, sum_s / same->step_s, 1e-9);
            EXPECT_NEAR(change.tokens_per_s, summary.tokens_per_s * sum_s / same->step_s, 1e-6);
        }
    }
    EXPECT_EQ(rows_in<ScalingChangeRow>(record).size(), 11U) << "of 1, 2 and 3 ranks";
    EXPECT_EQ(rows_in<ScalingFitRow>(record).size(), 3U);
    EXPECT_EQ(record.verification.size(), undisturbed + 1) << "one of the runs themselves";
    const auto csv = read_file(*folder() / "out.csv");
    EXPECT_NE(csv.find(fmt::format(",{},", points[2].tokens_per_s)), std::string::npos) << csv;
}

TEST_F(ScaleCommand, NamesTheRecordsThatAreInNoCurve) {
    Record other = record_at("runs/3.json");
    other.environment["machine"]["host"] = "elsewhere";
    write_all({other}, *folder() / "other");
    const auto outcome = scale("runs/1.json runs/2.json other");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_TRUE(std::regex_search(
        outcome.output, std::regex("\nIn no curve: 0[.]json [(]nano.* on 3 ranks[)]: no other "
                                   "number of ranks of its system and machine\n")))
        << outcome.output;
    EXPECT_EQ(scale("runs").output.find("In no curve"), std::string::npos);
    const auto none = scale("runs/1.json other");
    EXPECT_EQ(none.code, 2);
    EXPECT_NE(none.errors.find(" on 3 ranks): no other number of ranks"), std::string::npos)
        << none.errors;
}

TEST_F(ScaleCommand, PrintsPointsPartsAndFindings) {
    const auto outcome = scale("runs/1.json runs/2.json");
    const auto rate = rows_in<TrainingRow>(record_at("runs/2.json")).front().tokens_per_s;
    const auto says = [&](const std::string& pattern) {
        return std::regex_search(outcome.output, std::regex(pattern));
    };
    EXPECT_TRUE(
        says("nano, fp32, paced 2 GFLOP/s, .*: weak scaling, [0-9 ]+ tokens per rank and step\n"))
        << outcome.output;
    EXPECT_TRUE(says("\n +2 +1 +" + count_text(rate))) << outcome.output;
    EXPECT_TRUE(says("\n +optimizer +44[.][5-9] ms +44[.]6 ms")) << outcome.output;
    EXPECT_FALSE(says("pipeline bubble")) << "a part that is nowhere is not shown";
    EXPECT_TRUE(says("predicted from .*typical figures, nothing was measured here"))
        << outcome.output;
    const auto basis = record_at("runs/2.json").configuration.at("prediction");
    EXPECT_EQ(basis.at("gflop_per_s"), 2.0) << "the pace";
    EXPECT_TRUE(says("from 1 rank to 2 ranks the efficiency is ")) << outcome.output;
    copy_as(false, 1.0, "quiet");  // from disturbed points nothing is said of replays
    const auto quiet = scale("quiet").output;
    EXPECT_TRUE(std::regex_search(
        quiet, std::regex("by replay, not measured, the rate on 3 ranks would be [0-9.]+ times "
                          "with slowest links twice as fast [(]inside nodes[)]")))
        << quiet;
}

/// The first line of the text that begins so.
std::string line_with(const std::string& text, const std::string& begin) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(begin)) return line;
    }
    return {};
}

/// What of the line ends in the column in which `heading` ends in `head`, back to two spaces.
std::string under(const std::string& head, const std::string& heading, const std::string& line) {
    const std::size_t end = head.find(heading) + heading.size();
    if (head.find(heading) == std::string::npos || line.size() < end) return "nothing";
    const std::string until = line.substr(0, end);
    return until.substr(until.rfind("  ") + 2);
}

// The middle point was run without --explain: its columns are there, and hold no other point's.
TEST_F(ScaleCommand, KeepsTheColumnsOfAPointWithoutParts) {
    const auto outcome = scale("runs/1.json without/2.json runs/3.json --json out.json");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const std::string head = without_marks(line_with(outcome.output, "  part of a step"));
    const auto parts = rows_in<GapRow>(record_at("runs/3.json"));
    for (const std::string part : {"useful passes", "optimizer"}) {
        const std::string line = line_with(outcome.output, "  " + part);
        const auto of_three = std::ranges::find(parts, part, &GapRow::part);
        EXPECT_EQ(under(head, "2 ranks", line), "-") << outcome.output;
        EXPECT_EQ(under(head, "2 ranks  predicted", line), "-") << outcome.output;
        EXPECT_EQ(under(head, "3 ranks", line), time_text(of_three->time_s)) << outcome.output;
        EXPECT_EQ(under(head, "3 ranks  predicted", line), time_text(of_three->predicted_s));
        EXPECT_NE(under(head, "1 rank", line), "-") << outcome.output;
    }
    const Record record = record_at("out.json");
    EXPECT_TRUE(std::isnan(rows_in<ScalingRow>(record).at(1).parts_s));
    for (const auto& check : record.verification) {
        EXPECT_EQ(check.name.find("2 ranks"), std::string::npos) << "a point without parts";
    }
    for (const auto& row : rows_in<ScalingGapRow>(record)) EXPECT_NE(row.ranks, 2.0);
}

TEST_F(ScaleCommand, SplitsAPointByTheRunsThatWereSplit) {
    copy_as(false, 1.0, "split");
    std::vector<Record> plain{record_at("without/2.json")};
    numbers_of(plain[0], "summary", "disturbed") = {0.0};
    write_all(plain, *folder() / "plain");
    const auto outcome = scale("split plain --json mixed.json --report mixed.html");
    const auto point = rows_in<ScalingRow>(record_at("mixed.json")).at(1);
    EXPECT_EQ(std::pair(point.runs, point.split_runs), std::pair(2.0, 1.0));
    double sum_s = 0.0;
    for (const auto& part : rows_in<GapRow>(record_at("runs/2.json"))) sum_s += part.time_s;
    EXPECT_NEAR(point.parts_s, sum_s, 1e-12);
    const std::string words = "on 2 ranks the parts of a step are of 1 of 2 runs, without plain/";
    EXPECT_NE(outcome.output.find(words), std::string::npos) << outcome.output;
    EXPECT_NE(read_file(*folder() / "mixed.html").find(words), std::string::npos);
}

TEST_F(ScaleCommand, PutsTheCurveOnAPageAndReportDoes) {
    ASSERT_EQ(scale("runs --report page.html --json curve.json").code, 0);
    ASSERT_EQ(run_in(shardstone_binary() + " report runs/*.json --out report.html --force").code,
              0);
    const auto of_record =
        run_in(shardstone_binary() + " report curve.json --out record.html --force");
    EXPECT_NE(of_record.output.find("from 1 rank to 3 ranks the efficiency is "), std::string::npos)
        << of_record.output;
    const auto rate = rows_in<TrainingRow>(record_at("runs/3.json")).front().tokens_per_s;
    for (const char* name : {"page.html", "report.html", "record.html"}) {
        const auto page = read_file(*folder() / name);
        EXPECT_NE(page.find("<h2>Scaling</h2>"), std::string::npos) << name;
        EXPECT_NE(page.find("Where a step goes: nano"), std::string::npos) << name;
        EXPECT_NE(page.find("if perfect overlap (replay)"), std::string::npos) << name;
        EXPECT_NE(page.find(">" + unbroken_numbers(count_text(rate))), std::string::npos) << name;
        const auto from = page.find("<h2>Scaling</h2>");
        EXPECT_LT(page.find("In a paced run computations took the time of a device", from),
                  page.find("<h2>", from + 1))
            << name;
    }
}

/// The first point of the dotted line of a change over the rate that was measured there.
double first_ratio(const std::vector<Record>& runs, const std::string& change) {
    const auto traces = scaling_section(as_sources(runs))->figures.at(0).traces;
    const auto name_of = [](const auto& trace) {
        return trace.at("name").template get<std::string>();
    };
    const auto found = std::ranges::find(traces, "if " + change + " (replay)", name_of);
    if (found == traces.end()) throw std::runtime_error("no line for " + change);
    return found->at("y").at(0).get<double>() /
           rows_of<TrainingRow>(runs.front()).front().tokens_per_s;
}

// As if the run on one rank had waited for its core for half of the time that is left.
TEST_F(ScaleCommand, DrawsTheBaseWithACoreOfItsOwnToo) {
    std::vector<Record> runs{record_at("runs/1.json"), record_at("runs/3.json")};
    const double before = first_ratio(runs, "a core for every rank");
    multiply(runs[0], "what_if", "step_s", 0.5);
    EXPECT_NEAR(first_ratio(runs, "a core for every rank"), 2.0 * before, 1e-9);
    EXPECT_NEAR(first_ratio(runs, "all links as described"), 1.0, 1e-9) << "it has no links";
    std::erase_if(runs[0].derived, [](const auto& table) { return table.name == "what_if"; });
    EXPECT_TRUE(std::isnan(first_ratio(runs, "a core for every rank"))) << "an older record";
}

// The run on one rank has no all-reduce, and is the base of both.
TEST_F(ScaleCommand, TellsAllReducesApart) {
    train(2, "--explain --all-reduce recursive_doubling", "doubling");
    const auto outcome =
        scale("runs/1.json runs/2.json doubling/2.json runs/3.json --json out.json");
    const auto points = rows_in<ScalingRow>(record_at("out.json"));
    ASSERT_EQ(points.size(), 5U) << outcome.output;
    const auto rate_in = [&](const std::string& path) {
        return rows_in<TrainingRow>(record_at(path)).front().tokens_per_s;
    };
    const auto expect_point = [](const ScalingRow& point, const char* words, double rate) {
        EXPECT_NE(point.curve.find(words), std::string::npos) << point.curve;
        EXPECT_EQ(point.runs, 1.0);
        EXPECT_NEAR(point.tokens_per_s, rate, 1e-9 * rate);
    };
    expect_point(points[0], ", all-reduce ring:", rate_in("runs/1.json"));
    expect_point(points[1], ", all-reduce ring:", rate_in("runs/2.json"));
    expect_point(points[2], ", all-reduce ring:", rate_in("runs/3.json"));
    expect_point(points[3], ", all-reduce recursive_doubling:", rate_in("runs/1.json"));
    expect_point(points[4], ", all-reduce recursive_doubling:", rate_in("doubling/2.json"));
}

TEST_F(ScaleCommand, HasAnExampleThatRuns) {
    const std::string help = run_in(shardstone_binary() + " scale --help").output;
    const auto begin = help.find("  for n in");
    const auto end = help.find("scaling.html", begin);
    ASSERT_NE(end, std::string::npos) << help;
    const std::string example = help.substr(begin, help.find('\n', end) - begin);
    const auto outcome =
        run_in(fmt::format("mkdir -p example && cd example && PATH={}:$PATH && {}",
                           fs::path(shardstone_binary()).parent_path().string(), example));
    EXPECT_EQ(outcome.errors.find("shardstone scale"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.output.find("from 1 rank to 4 ranks the efficiency is "), std::string::npos)
        << outcome.output;
    EXPECT_TRUE(fs::exists(*folder() / "example/scaling.html"));
}

TEST_F(ScaleCommand, RefusesRecordsThatAreNoCurve) {
    const auto outcome = scale("runs/1.json");
    EXPECT_TRUE(outcome.is_one_line_about("no curve: give trainings of one system on two or more"));
    EXPECT_NE(outcome.errors.find("on 1 rank"), std::string::npos) << outcome.errors;
    EXPECT_TRUE(scale("runs --json runs/1.json").is_one_line_about("runs/1.json"));
}

}  // namespace
}  // namespace shardstone::validation
