// SPDX-License-Identifier: BSD-3-Clause
// The real command on a curve whose every figure is known: the columns it prints and writes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "results/format/atomic_file.hpp"
#include "results/report/words.hpp"
#include "results/schema/scaling.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/compare/compared_records.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// On 2, 4 and 8 ranks; the parts of a step add up to it, the predicted ones to other times.
class ScaleColumns : public testing::Test {
  protected:
    ScaleColumns() {
        write_all({run(2, 1000.0, 0.15), run(4, 1600.0, 0.19), run(8, 2500.0, 0.23)},
                  folder_ / "runs");
    }
    static Record run(int ranks, double rate, double predicted_s) {
        const double tokens = 100.0 * ranks;
        return written_run({ranks, rate, tokens, {{"input", {tokens / rate, predicted_s}}}});
    }
    Outcome scale(const std::string& words) const {
        return run_shell(fmt::format("cd {} && {} scale {}", folder_.path().string(),
                                     shardstone_binary(), words),
                         folder_);
    }

    TemporaryFolder folder_;
};

TEST_F(ScaleColumns, ArePrintedInOrder) {
    const auto outcome = scale("runs");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const auto line = [](const std::string& before, double step_s, double predicted_s) {
        return std::regex(
            fmt::format("\n +{} +{} +{}\n", before, time_text(step_s), time_text(predicted_s)));
    };
    const auto& text = outcome.output;
    EXPECT_TRUE(
        std::regex_search(text, line("2 +1 +1 000 +900 to 1 200 +1[.]00 +100 % +-", 0.2, 0.15)))
        << text;
    EXPECT_TRUE(std::regex_search(
        text, line("4 +1 +1 600 +1 440 to 1 920 +1[.]60 +80[.]0 % +-", 0.25, 0.19)))
        << text;
    EXPECT_TRUE(std::regex_search(
        text, line("8 +1 +2 500 +2 250 to 3 000 +2[.]50 +62[.]5 % +-", 0.32, 0.23)))
        << text;
}

TEST_F(ScaleColumns, AreThoseOfThePointsInCsv) {
    ASSERT_EQ(scale("runs --csv out.csv --json out.json").code, 0);
    const auto csv = read_file(folder_ / "out.csv");
    EXPECT_TRUE(csv.starts_with("curve,ranks,runs,split_runs,tokens_per_s,tokens_per_s_low,"))
        << csv;
    EXPECT_EQ(std::ranges::count(csv, '\n'), 4) << csv;
    const auto point = rows_of<ScalingRow>(read_record(folder_ / "out.json")).at(1);
    EXPECT_EQ(point.ranks, 4.0);
    EXPECT_NEAR(point.step_s, 0.25, 1e-12);
    EXPECT_NEAR(point.predicted_s, 0.19, 1e-12);
    EXPECT_EQ(point.disturbed, 0.0);
}

TEST_F(ScaleColumns, SayOfDisturbedPointsThatTheyAre) {
    ScaledRun busy{16, 3000.0, 1600.0};
    busy.disturbed = true;
    write_all({written_run(busy)}, folder_ / "runs/busy");
    const auto outcome = scale("runs --json out.json");
    EXPECT_TRUE(std::regex_search(outcome.output, std::regex("\n +16 +1 +3 000 ?!")))
        << outcome.output;
    const auto rows = rows_of<ScalingRow>(read_record(folder_ / "out.json"));
    EXPECT_EQ(rows.at(3).disturbed, 1.0);
    EXPECT_EQ(rows.at(2).disturbed, 0.0);
}

TEST_F(ScaleColumns, SayWhyThereAreNoParts) {
    write_all({written_run({2, 1000.0, 200.0}), written_run({4, 1600.0, 400.0})}, folder_ / "bare");
    const std::string words =
        "\n  parts of a step: in none of these runs; those of train --explain have them\n";
    const auto bare = scale("bare"), split = scale("runs");
    EXPECT_NE(bare.output.find(words), std::string::npos) << bare.output;
    EXPECT_EQ(split.output.find(words), std::string::npos) << split.output;
}

// Of a folder, what looks like a record and is none that can be read; not what is another
// program's.
TEST_F(ScaleColumns, NameFilesThatDoNotCount) {
    write_file(folder_ / "runs/other.json", "{}\n");
    write_file(folder_ / "runs/broken.json", R"({"format": "shardstone record", "hash": "0"})");
    const auto outcome = scale("runs");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(std::regex_match(
        outcome.errors,
        std::regex("shardstone scale: 'runs/broken[.]json' does not count: [^\n]+\n")))
        << outcome.errors;
}

/// Of the curve of the next test: on 4 ranks two runs, of which one was split and replayed; its
/// parts are a little less than the steps that were split, and these than the median step.
std::vector<Record> runs_with_every_figure() {
    auto records = written_twice({{2, 1000.0, 200.0, {{"input", {0.2, 0.15}}}}}, 0.01);
    Record split = written_run({4, 1600.0 * std::exp(0.01), 400.0, {{"input", {0.2475, 0.19}}}});
    auto& times_s = numbers_of(split, "steps", "time_s");
    std::fill(times_s.begin() + 1, times_s.end(), 0.249);
    split.derived.push_back(table_of<ChangedStepRow>({{"another all-reduce", "tree", 0.2, 77.0}}));
    records.push_back(split);
    records.push_back(written_run({4, 1600.0 * std::exp(-0.01), 400.0}));
    records.push_back(written_run({8, 2200.0, 800.0}));
    return records;
}

/// That the row of a table holds these numbers in the columns of these names.
void expect_row(const Record& record, const std::string& table, std::size_t row,
                const std::map<std::string, double>& expected) {
    for (const auto& [name, number] : expected) {
        EXPECT_NEAR(record.table(table).column(name).numbers.at(row), number, 2e-5 * number)
            << table << ": " << name;
    }
}

// Read as any other program reads the record, by the names of columns. Intervals are those of two
// runs 0.01 from their mean (scaling_curve_test.cpp); Amdahl's share by 2 / 1.6 - 1 = 0.25.
TEST_F(ScaleColumns, HoldWhatTheirNamesSay) {
    write_all(runs_with_every_figure(), folder_ / "every");
    const auto outcome = scale("every --json out.json");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const Record record = read_record(folder_ / "out.json");
    const double run = std::exp(0.127062), both = std::exp(0.0608488);
    expect_row(record, "scaling", 1,
               {{"ranks", 4.0},
                {"runs", 2.0},
                {"split_runs", 1.0},
                {"tokens_per_s", 1600.0},
                {"tokens_per_s_low", 1600.0 / run},
                {"tokens_per_s_high", 1600.0 * run},
                {"speedup", 1.6},
                {"efficiency", 0.8},
                {"efficiency_low", 0.8 / both},
                {"efficiency_high", 0.8 * both},
                {"step_s", 0.25},
                {"predicted_s", 0.19},
                {"split_step_s", 0.249},
                {"parts_s", 0.2475},
                {"disturbed", 0.0}});
    expect_row(record, "scaling_gap", 1,
               {{"ranks", 4.0}, {"time_s", 0.2475}, {"predicted_s", 0.19}, {"lost_s", 0.0475}});
    expect_row(record, "scaling_what_if", 0,
               {{"ranks", 4.0}, {"tokens_per_s", 1980.0}, {"ratio", 1.2375}, {"disturbed", 0.0}});
    const double amdahl = 4000.0 / 1.75;
    expect_row(record, "scaling_fits", 0,
               {{"ranks", 8.0}, {"tokens_per_s", amdahl}, {"measured_tokens_per_s", 2200.0}});
    const auto& fits = record.table("scaling_fits");
    EXPECT_LT(fits.column("tokens_per_s_low").numbers.at(0), amdahl);
    EXPECT_GT(fits.column("tokens_per_s_high").numbers.at(0), amdahl);
    EXPECT_EQ(fits.column("model").texts.at(0), "Amdahl's law");
    EXPECT_EQ(fits.column("parameters").texts.at(0), "serial share 25.0 %");
    EXPECT_EQ(fits.column("verdict").texts.at(0), "held");
    EXPECT_EQ(fits.column("holds").numbers.at(0), 1.0);
    const auto& changes = record.table("scaling_what_if");
    EXPECT_EQ(changes.column("change").texts.at(0), "another all-reduce");
    EXPECT_EQ(changes.column("detail").texts.at(0), "tree");
}

// Of many runs on machines of their own some are named, and the others counted.
TEST_F(ScaleColumns, NameEightRunsOfNoCurve) {
    std::vector<Record> strays;
    for (int i = 0; i < 10; ++i) {
        strays.push_back(run(2, 1000.0, 0.15));
        strays.back().environment["machine"]["host"] = fmt::format("n{}", i);
    }
    write_all(strays, folder_ / "strays");
    for (const auto& [folder, others] : {std::pair("strays", "2 others"), {"fewer", "1 other"}}) {
        const auto outcome = scale(fmt::format("runs {}", folder));
        const auto named = outcome.output.substr(outcome.output.find("\nIn no curve: "));
        std::size_t count = 0;
        for (auto at = named.find(" on 2 ranks): "); at != std::string::npos;
             at = named.find(" on 2 ranks): ", at + 1)) {
            ++count;
        }
        EXPECT_EQ(count, 8U) << named;
        EXPECT_TRUE(named.ends_with(fmt::format("\nIn no curve: {}\n", others))) << named;
        strays.pop_back();
        write_all(strays, folder_ / "fewer");
    }
}

// Repetitions of a run in a line, and beside trainings what is none; the curve, which has nothing
// to do with them, is called as without them.
TEST_F(ScaleColumns, NameWhatIsInNoCurveAndWhy) {
    std::vector<Record> repeated(5, run(2, 1000.0, 0.15));
    for (std::size_t i = 0; i < repeated.size(); ++i) {
        repeated[i].environment["machine"]["host"] = "elsewhere";
        numbers_of(repeated[i], "summary", "tokens_per_s")[0] += static_cast<double>(i);
    }
    write_all(repeated, folder_ / "strays");
    ASSERT_EQ(scale("runs --json curves.json").code, 0);
    const auto alone = scale("runs").output, outcome = scale("runs strays curves.json").output;
    EXPECT_EQ(outcome.substr(0, outcome.find('\n')), alone.substr(0, alone.find('\n')));
    EXPECT_TRUE(std::regex_search(
        outcome,
        std::regex("\nIn no curve: strays/0[.]\\S+, strays/1[.]\\S+, strays/2[.]\\S+ and 2 others "
                   "[(]5 runs of [^\n]+, on elsewhere: [^\n]+ on 2 ranks[)]: no other number of "
                   "ranks of its system and machine\n")))
        << outcome;
    EXPECT_TRUE(
        outcome.ends_with("\nIn no curve: curves.json (a record of kind scale): no training\n"))
        << outcome;
    const auto none = scale("strays curves.json");
    EXPECT_TRUE(none.is_one_line_about("(5 runs of ")) << none.errors;
    EXPECT_NE(none.errors.find(" and curves.json (a record of kind scale): no training"),
              std::string::npos)
        << none.errors;
}

}  // namespace
}  // namespace shardstone::validation
