// SPDX-License-Identifier: BSD-3-Clause
// The report's section on scaling: every curve, bar and cell holds its own figure.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;
using nlohmann::json;

/// With parts that add up to its step, of which `input_s` is input, and what perfect overlap would
/// make of it.
Record overlappable_run(int ranks, double rate, double input_s, double overlapped_s) {
    const double tokens = 100.0 * ranks, step_s = tokens / rate;
    Record record = written_run(
        {ranks, rate, tokens, {{"input", {input_s, 0.003}}, {"other", {step_s - input_s, 0.07}}}});
    record.derived.push_back(
        table_of<ChangedStepRow>({{"perfect overlap", "", overlapped_s, 77.0}}));
    return record;
}

/// On 1, 2 and 4 ranks; the last was measured on a busy machine.
class ScalingPage : public testing::Test {
  protected:
    ScalingPage()
        : sources_(as_sources({overlappable_run(1, 1000.0, 0.01, 0.09),
                               overlappable_run(2, 1600.0, 0.02, 0.1),
                               disturbed(overlappable_run(4, 2000.0, 0.05, 0.15))})),
          section_(scaling_section(sources_).value()) {}

    static Record disturbed(Record record) {
        numbers_of(record, "summary", "disturbed") = {1.0};
        return record;
    }
    /// Whether a table has a row that ends with these cells.
    bool has_row(const std::vector<std::string>& cells) const {
        std::string row;
        for (const std::string& cell : cells) row += "|" + cell + "|";
        const auto text = std::regex_replace(section_.body, std::regex("</?td[^>]*>"), "|");
        return text.find(row + "</tr>") != std::string::npos;
    }
    const json& trace(std::size_t figure, const std::string& name) const {
        const auto& traces = section_.figures.at(figure).traces;
        return *std::ranges::find_if(traces,
                                     [&](const json& one) { return one.at("name") == name; });
    }

    std::vector<Source> sources_;
    Section section_;
};

TEST_F(ScalingPage, DrawsRatesWithTheirIntervals) {
    const json& measured = trace(0, "measured");
    EXPECT_EQ(measured.at("x"), json({1.0, 2.0, 4.0}));
    EXPECT_NEAR(measured.at("y").at(1), 1600.0, 1e-9);
    EXPECT_NEAR(measured.at("low").at(1), 1440.0, 1e-9);
    EXPECT_NEAR(measured.at("high").at(1), 1920.0, 1e-9);
    EXPECT_EQ(measured.at("hollow"), json({false, false, true}));
    EXPECT_TRUE(section_.figures.at(0).title.ends_with(" (hollow: disturbed)"));
}

// Of each point its own change: 0.1 / 0.09, 0.125 / 0.1 and 0.2 / 0.15 of its rate.
TEST_F(ScalingPage, DrawsWhatChangesWouldMakeOfEveryPoint) {
    const json& changed = trace(0, "if perfect overlap (replay)");
    EXPECT_NEAR(changed.at("y").at(0), 1000.0 / 0.9, 1e-6);
    EXPECT_NEAR(changed.at("y").at(1), 2000.0, 1e-6);
    EXPECT_NEAR(changed.at("y").at(2), 2000.0 / 0.75, 1e-6);
}

TEST_F(ScalingPage, DrawsMeasuredPartsAbovePredictedOnesInMilliseconds) {
    const Figure& figure = section_.figures.at(1);
    EXPECT_EQ(figure.layout.at("labels"),
              json({"1 rank, measured", "1 rank, predicted", "2 ranks, measured",
                    "2 ranks, predicted", "4 ranks, measured !", "4 ranks, predicted"}));
    const auto input_ms = trace(1, "input").at("y").get<std::vector<double>>();
    const std::vector<double> expected{10.0, 3.0, 20.0, 3.0, 50.0, 3.0};
    for (std::size_t bar = 0; bar < expected.size(); ++bar) {
        EXPECT_NEAR(input_ms.at(bar), expected[bar], 1e-9) << bar;
    }
}

// A part that nobody could see takes no colour from those that are there.
TEST(ScalingPageOfParts, DrawsThoseThatCanBeSeen) {
    const double seen_s = 0.11e-3, unseen_s = 0.09e-3;  // of a step of 0.1 s
    const auto sources = as_sources(
        {written_run({1, 1000.0, 100.0, {{"input", {seen_s, 0.0}}, {"latency", {unseen_s, 0.0}}}}),
         written_run({2, 2000.0, 200.0, {{"input", {0.0, 0.0}}, {"imbalance", {0.0, seen_s}}}})});
    const auto section = scaling_section(sources);
    std::vector<std::string> drawn;
    for (const auto& trace : section->figures.at(1).traces) {
        drawn.push_back(trace.at("name"));
    }
    EXPECT_EQ(drawn, (std::vector<std::string>{"input", "imbalance"}));
}

TEST_F(ScalingPage, HasTheFiguresOfEveryPoint) {
    EXPECT_TRUE(has_row({"2", "1", "1 600", "1 440 to 1 920", "1.60", "80.0 %", "-",
                         time_text(0.125), time_text(0.073)}))
        << section_.body;
    EXPECT_TRUE(has_row({"4", "1", "2 000" + disturbance_mark(true), "1 800 to 2 400", "2.00",
                         "50.0 %", "-", time_text(0.2), time_text(0.073)}))
        << section_.body;
    EXPECT_TRUE(has_row({"4", "input", time_text(0.05) + disturbance_mark(true), time_text(0.003),
                         time_text(0.04)}))
        << section_.body;
    EXPECT_TRUE(has_row({"2", "perfect overlap", "", "2 000", "1.25"})) << section_.body;
}

// Its 80 characters in every row pushed the verdicts out of sight.
TEST_F(ScalingPage, NamesACurveOnceInEachTable) {
    const std::string name = ">nano, fp32: weak scaling, 100 tokens per rank and step<";
    std::size_t times = 0, tables = 0;
    for (auto at = section_.body.find(name); at != std::string::npos;
         at = section_.body.find(name, at + 1)) {
        ++times;
    }
    for (auto at = section_.body.find("<table"); at != std::string::npos;
         at = section_.body.find("<table", at + 1)) {
        ++tables;
    }
    EXPECT_EQ(tables, 5U);
    EXPECT_EQ(times, tables) << section_.body;
}

// As its neighbours: the model is held against the disturbed point.
TEST_F(ScalingPage, MarksWhatModelsAreHeldAgainst) {
    EXPECT_TRUE(has_row(
        {"cannot be judged: no interval", "4", "2 286", "-", "2 000 !", "serial share 25.0 %"}))
        << section_.body;
}

// In a bundle of dashed lines only marks tell which is which, as the legend has them.
TEST_F(ScalingPage, DrawsTheMarksOfChangesOnTheirLines) {
    EXPECT_TRUE(trace(0, "if perfect overlap (replay)").value("points", true));
    EXPECT_FALSE(trace(0, "ideal").value("points", true));
}

/// The rows of fits of runs that differ by e^d, in the order of the models.
std::string fits_html_of(double d) {
    const auto sources =
        as_sources(written_twice({{1, 1000.0, 100.0}, {2, 1900.0, 200.0}, {4, 3400.0, 400.0}}, d));
    const auto body = scaling_section(sources)->body;
    return std::regex_replace(body, std::regex("</?td[^>]*>"), "|");
}

// 3 454.5 times e^(10.7552 d) and its inverse: scaling_fit_test.cpp.
TEST(ScalingPageOfFits, SaysWhichModelHolds) {
    const auto wide = fits_html_of(0.01), narrow = fits_html_of(0.0005);
    EXPECT_NE(wide.find("||held||4||3 455||3 102 to 3 847||3 400||"), std::string::npos) << wide;
    EXPECT_NE(narrow.find("||missed||4||3 455||3 436 to 3 473||3 400||"), std::string::npos)
        << narrow;
}

}  // namespace
}  // namespace shardstone::validation
