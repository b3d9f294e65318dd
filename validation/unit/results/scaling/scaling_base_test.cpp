// SPDX-License-Identifier: BSD-3-Clause
// Curves whose base has several ranks, and means over runs that differ: what a base of one rank and
// equal runs would not show.
#include <gtest/gtest.h>

#include <cmath>

#include "results/report/scaling_findings.hpp"
#include "results/report/scaling_fit.hpp"
#include "results/report/scaling_rows.hpp"
#include "results/report/section.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// On 2, 4 and 8 ranks, 100 tokens each: 1, 1.9 and 3.4 times the rate.
std::vector<Record> from_two_ranks() {
    return {written_run({2, 1000.0, 200.0, {{"input", {0.2, 0.1}}}}),
            written_run({4, 1900.0, 400.0, {{"input", {0.4 / 1.9, 0.1}}}}),
            written_run({8, 3400.0, 800.0, {{"input", {0.8 / 3.4, 0.1}}}})};
}

TEST(ScalingFromTwoRanks, IsMeasuredByTheBase) {
    const auto sources = as_sources(from_two_ranks());
    const auto curve = scaling_curves(sources).at(0);
    EXPECT_NE(curve.name().find("weak scaling, 100 tokens per rank and step"), std::string::npos)
        << curve.name();
    const auto tables = scaling_tables({curve});
    EXPECT_DOUBLE_EQ(tables.points.at(2).speedup, 3.4);
    EXPECT_DOUBLE_EQ(tables.points.at(2).efficiency, 0.85);
    EXPECT_DOUBLE_EQ(tables.points.at(0).efficiency, 1.0);
    // The work of a rank stays: lost is what a step takes longer.
    EXPECT_NEAR(tables.gap.at(0).lost_s, 0.0, 1e-12);
    EXPECT_NEAR(tables.gap.at(2).lost_s, 0.8 / 3.4 - 0.2, 1e-12);
    const auto figure = scaling_section(sources)->figures.at(0);
    EXPECT_EQ(figure.traces.at(1).at("name"), "ideal");
    const auto ideal = figure.traces.at(1).at("y").get<std::vector<double>>();
    ASSERT_EQ(ideal.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(ideal[i], std::exp2(i) * 1000.0, 1e-9);
}

// As with 1, 2 and 4 ranks: the laws see ratios of ranks. A serial share of 2 / 1.9 - 1 = 1 / 19
// gives 4 / (1 + 3 / 19) = 3.4545 times the rate.
TEST(ScalingFromTwoRanks, IsFittedByRatiosOfRanks) {
    const auto sources = as_sources(from_two_ranks());
    const auto fits = scaling_fits(scaling_curves(sources).at(0));
    EXPECT_EQ(fits.at(0).parameters, "serial share 5.26 %");
    EXPECT_NEAR(fits.at(0).rate, 3454.545, 0.001);
}

/// A run with the rate that its parts add up to, and with an entry of what_if.
Record split_run(int ranks, double input_s, double predicted_s, double changed_s) {
    const double tokens = 100.0 * ranks;
    Record record =
        written_run({ranks, tokens / input_s, tokens, {{"input", {input_s, predicted_s}}}});
    record.derived.push_back(table_of<ChangedStepRow>(
        {{"perfect overlap", "", changed_s, 77.0}, {"another all-reduce", "tree", 0.05, 77.0}}));
    return record;
}

TEST(ScalingRepetitions, AreJoinedInEveryFigure) {
    const auto sources = as_sources({split_run(1, 0.1, 0.1, 0.1), split_run(2, 0.11, 0.09, 0.10),
                                     split_run(2, 0.13, 0.11, 0.06)});
    const auto tables = scaling_tables(scaling_curves(sources));
    const ScalingRow& point = tables.points.at(1);
    EXPECT_EQ(point.runs, 2.0);
    EXPECT_NEAR(point.parts_s, 0.12, 1e-12);
    EXPECT_NEAR(point.predicted_s, 0.10, 1e-12);
    EXPECT_NEAR(point.split_step_s, 0.12, 1e-12);
    EXPECT_NEAR(tables.gap.at(1).time_s, 0.12, 1e-12);
    EXPECT_NEAR(tables.gap.at(1).predicted_s, 0.10, 1e-12);
    ASSERT_EQ(tables.changes.size(), 4U);
    EXPECT_NEAR(tables.changes.at(2).ratio, 0.12 / 0.08, 1e-12);
    EXPECT_NEAR(tables.changes.at(3).ratio, 0.12 / 0.05, 1e-12);
    EXPECT_EQ(tables.changes.at(3).detail, "tree");
}

// How a single run of the base would have differed is not known, however often the others ran.
TEST(ScalingRepetitions, OfOnePointGiveTheEfficiencyNoInterval) {
    const auto sources =
        as_sources({written_run({1, 1000.0, 100.0}), written_run({2, 1590.0, 200.0}),
                    written_run({2, 1610.0, 200.0})});
    const auto tables = scaling_tables(scaling_curves(sources));
    EXPECT_TRUE(std::isnan(tables.points.at(1).efficiency_low));
    EXPECT_TRUE(std::isnan(tables.points.at(1).efficiency_high));
}

TEST(ScalingFindings, CallNoSingleRunSuperlinear) {
    const auto sources = as_sources({written_run({1}), written_run({2, 2500.0, 200.0})});
    const auto finding = scaling_findings(scaling_curves(sources).at(0)).at(0);
    EXPECT_NE(finding.find("the efficiency is 125 % (no interval: a single run on 1 rank and a "
                           "single run on 2 ranks)."),
              std::string::npos)
        << finding;
}

// Those beyond 1 % of the step of 0.2 s, the largest three, in their order.
TEST(ScalingFindings, NameTheThreeLargestLosses) {
    const auto sources = as_sources({written_run({1,
                                                  1000.0,
                                                  100.0,
                                                  {{"useful passes", {0.1, 0.1}},
                                                   {"imbalance", {0.0, 0.0}},
                                                   {"input", {0.0, 0.0}},
                                                   {"latency", {0.0, 0.0}},
                                                   {"other", {0.0, 0.0}}}}),
                                     written_run({2,
                                                  1000.0,
                                                  200.0,
                                                  {{"useful passes", {0.1015, 0.1}},
                                                   {"imbalance", {0.01, 0.0}},
                                                   {"input", {0.0482, 0.0}},
                                                   {"latency", {0.02, 0.0}},
                                                   {"other", {0.0204, 0.0}}}})});
    const auto finding = scaling_findings(scaling_curves(sources).at(0)).at(0);
    EXPECT_NE(finding.find("; of the steps that were split 24.1 % input, 10.2 % other and 10.0 % "
                           "latency are beyond"),
              std::string::npos)
        << finding;
}

TEST(ScalingTablesOfFits, TellWhichHolds) {
    const std::vector<ScaledRun> runs{{1, 1000.0, 100.0}, {2, 1900.0, 200.0}, {4, 3400.0, 400.0}};
    const auto row = [&](double d) {
        const auto sources = as_sources(written_twice(runs, d));
        return scaling_tables(scaling_curves(sources)).fits.at(0);
    };
    const ScalingFitRow narrow = row(0.0005), wide = row(0.01);
    EXPECT_EQ(narrow.holds, 0.0);
    EXPECT_EQ(wide.holds, 1.0);
    for (const ScalingFitRow& one : {narrow, wide}) {
        EXPECT_LT(one.tokens_per_s_low, one.tokens_per_s);
        EXPECT_GT(one.tokens_per_s_high, one.tokens_per_s);
        EXPECT_NEAR(one.tokens_per_s, 3454.545, 0.001);
        EXPECT_NEAR(one.measured_tokens_per_s, 3400.0, 1e-6);
    }
}

}  // namespace
}  // namespace shardstone::validation
