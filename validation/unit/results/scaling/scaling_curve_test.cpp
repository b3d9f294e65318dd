// SPDX-License-Identifier: BSD-3-Clause
// Records as scaling curves: which runs share one, what is a repetition, what was lost and why.
#include "results/report/scaling_curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/report/in_no_curve.hpp"
#include "results/report/scaling_findings.hpp"
#include "results/report/scaling_rows.hpp"
#include "results/report/section.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

std::vector<ScalingCurve> curves_of(const std::vector<Source>& sources) {
    return scaling_curves(sources);
}

TEST(ScalingCurve, OfEqualWorkPerRankIsWeakAndOfEqualBatchStrong) {
    const auto sources =
        as_sources({written_run({1, 1000.0, 100.0}), written_run({4, 3000.0, 400.0}),
                    written_run({2, 1800.0, 100.0})});
    const auto curves = curves_of(sources);
    ASSERT_EQ(curves.size(), 2U);
    EXPECT_TRUE(curves[0].is_weak);
    EXPECT_EQ(curves[0].points.back().ranks, 4.0);
    EXPECT_DOUBLE_EQ(curves[0].efficiency(curves[0].points.back()), 0.75);
    EXPECT_FALSE(curves[1].is_weak);
    EXPECT_EQ(curves[1].points.back().ranks, 2.0);
    EXPECT_DOUBLE_EQ(curves[1].efficiency(curves[1].points.back()), 0.9);
    EXPECT_DOUBLE_EQ(curves[1].speedup(curves[1].points.back()), 1.8);
}

TEST(ScalingCurve, NeedsOneSystemOnTwoNumbersOfRanks) {
    EXPECT_TRUE(curves_of(as_sources({written_run({1}), written_run({1, 900.0})})).empty());
    ScaledRun other{2, 1800.0, 200.0};
    other.precision = "bf16";
    EXPECT_TRUE(curves_of(as_sources({written_run({1}), written_run(other)})).empty());
    EXPECT_TRUE(curves_of(as_sources({written_run({1}), written_run({2, 1800.0, 300.0})})).empty());
}

// Two runs e^d and e^-d apart: geometric mean, and t(0.975, 1) = 12.7062 times the standard error
// d.
TEST(ScalingCurve, TakesRunsAsRepetitions) {
    const auto sources = as_sources(written_twice({{1, 1000.0, 100.0}, {2, 1600.0, 200.0}}, 0.01));
    const auto curves = curves_of(sources);
    ASSERT_EQ(curves.size(), 1U);
    const ScalingPoint& point = curves[0].points[1];
    EXPECT_EQ(point.rates.size(), 2U);
    EXPECT_NEAR(point.rate, 1600.0, 1e-9);
    EXPECT_NEAR(point.interval.low, 1600.0 * std::exp(-0.127062), 0.01);
    EXPECT_NEAR(point.interval.high, 1600.0 * std::exp(0.127062), 0.01);
    // Of the difference: t(0.975, 2) = 4.30265 times d sqrt(2).
    const Interval range = curves[0].efficiency_range(point);
    EXPECT_NEAR(range.low, 0.8 * std::exp(-0.0608488), 1e-5);
    EXPECT_NEAR(range.high, 0.8 * std::exp(0.0608488), 1e-5);
}

/// Runs of the base on 1 rank and of a point on 2, by the logarithms of their rates over 1000 and
/// 1600.
Interval efficiency_of(const std::vector<double>& base, const std::vector<double>& point) {
    std::vector<Record> records;
    for (const double d : base) records.push_back(written_run({1, 1000.0 * std::exp(d), 100.0}));
    for (const double d : point) records.push_back(written_run({2, 1600.0 * std::exp(d), 200.0}));
    const auto sources = as_sources(records);
    const auto curve = curves_of(sources).at(0);
    return curve.efficiency_range(curve.points[1]);
}

// Two runs each 0.01 from their mean, whose v is 0.01^2, beside three of a variance of 6 0.01^2,
// whose v is 2 0.01^2: an error of 0.01 sqrt(3), with 3^2 / (1 / 1 + 4 / 2) = 3 degrees of
// freedom, t = 3.18245. Pooled variances would give 0.0627586. Where one of the two does not
// vary, its runs add no degree of freedom: t(0.975, 1) = 12.7062.
TEST(ScalingCurve, LetsRunsOfEachPointVaryAsTheyDo) {
    const double apart = 0.01 * std::sqrt(6.0);
    const Interval range = efficiency_of({0.01, -0.01}, {-apart, 0.0, apart});
    EXPECT_NEAR(range.low, 0.8 * std::exp(-0.0551217), 1e-6);
    EXPECT_NEAR(range.high, 0.8 * std::exp(0.0551217), 1e-6);
    EXPECT_NEAR(efficiency_of({0.0, 0.0}, {0.01, -0.01}).low, 0.8 * std::exp(-0.127062), 1e-5);
    EXPECT_NEAR(efficiency_of({0.01, -0.01}, {0.0, 0.0}).low, 0.8 * std::exp(-0.127062), 1e-5);
}

TEST(ScalingCurve, OfSingleRunsHasTheirOwnIntervals) {
    const auto sources = as_sources({written_run({1}), written_run({2, 1600.0, 200.0})});
    const auto curves = curves_of(sources);
    EXPECT_DOUBLE_EQ(curves[0].points[1].interval.low, 1440.0);
    EXPECT_DOUBLE_EQ(curves[0].points[1].interval.high, 1920.0);
    EXPECT_TRUE(std::isnan(curves[0].efficiency_range(curves[0].points[1]).low));
}

TEST(ScalingCurve, LeavesDisturbedRunsOutWhereThereAreOthers) {
    ScaledRun disturbed{2, 100.0, 200.0};
    disturbed.disturbed = true;
    const auto quiet = written_run({2, 1600.0, 200.0});
    const auto some = as_sources({written_run({1}), written_run(disturbed), quiet});
    EXPECT_NEAR(curves_of(some)[0].points[1].rate, 1600.0, 1e-9);
    EXPECT_FALSE(curves_of(some)[0].points[1].is_disturbed());
    const auto none = as_sources({written_run({1}), written_run(disturbed)});
    EXPECT_NEAR(curves_of(none)[0].points[1].rate, 100.0, 1e-9);
    EXPECT_TRUE(curves_of(none)[0].points[1].is_disturbed());
}

/// Rows of the gap of the point on `ranks` by part.
std::map<std::string, ScalingGapRow> gap_on(const ScalingTables& tables, double ranks) {
    std::map<std::string, ScalingGapRow> rows;
    for (const auto& row : tables.gap) {
        if (row.ranks == ranks) rows[row.part] = row;
    }
    return rows;
}

// Strong scaling from 1 to 2 ranks: the passes are to halve.
TEST(ScalingCurve, LosesWhatDoesNotShrinkWithTheWorkOfARank) {
    const auto sources = as_sources(
        {written_run({1, 1000.0, 100.0, {{"useful passes", {0.08, 0.07}}, {"input", {0.02, 0.0}}}}),
         written_run(
             {2, 1250.0, 100.0, {{"useful passes", {0.045, 0.04}}, {"input", {0.035, 0.001}}}})});
    const auto tables = scaling_tables(curves_of(sources));
    auto gap = gap_on(tables, 2.0);
    EXPECT_DOUBLE_EQ(gap["useful passes"].time_s, 0.045);
    EXPECT_DOUBLE_EQ(gap["useful passes"].predicted_s, 0.04);
    EXPECT_NEAR(gap["useful passes"].lost_s, 0.005, 1e-12);
    EXPECT_NEAR(gap["input"].lost_s, 0.025, 1e-12);
    EXPECT_NEAR(gap_on(tables, 1.0)["input"].lost_s, 0.0, 1e-12);
    EXPECT_NEAR(tables.points[1].predicted_s, 0.041, 1e-12);
    EXPECT_NEAR(tables.points[1].split_step_s, 0.08, 1e-12);
    const auto findings = scaling_findings(curves_of(sources)[0]);
    EXPECT_NE(findings[0].find(
                  "from 1 rank to 2 ranks the efficiency is 62.5 % (no interval: a single "
                  "run on 1 rank and a single run on 2 ranks); of the steps that were split "
                  "31.2 % input and 6.25 % useful passes are beyond the base's at equal work"),
              std::string::npos)
        << findings[0];
}

// The split steps, of 80 ms, were slower than the median of 50 ms.
TEST(ScalingCurve, SharesAreOfTheStepsThatWereSplit) {
    auto slow = written_run(
        {2, 2000.0, 100.0, {{"useful passes", {0.044, 0.04}}, {"input", {0.036, 0.001}}}});
    auto& times_s = numbers_of(slow, "steps", "time_s");
    std::fill(times_s.begin() + 1, times_s.end(), 0.08);
    const auto sources = as_sources(
        {written_run({1, 1000.0, 100.0, {{"useful passes", {0.08, 0.07}}, {"input", {0.02, 0.0}}}}),
         slow});
    const auto curve = curves_of(sources)[0];
    EXPECT_NEAR(curve.points[1].step_s(), 0.05, 1e-12);
    const auto findings = scaling_findings(curve);
    EXPECT_NE(
        findings[0].find("of the steps that were split 32.5 % input and 5.00 % useful passes"),
        std::string::npos)
        << findings[0];
}

TEST(ScalingCurve, ExplainsASuperlinearPoint) {
    const auto runs = written_twice({{1, 1000.0, 100.0, {{"useful passes", {0.1, 0.1}}}},
                                     {2, 2500.0, 200.0, {{"useful passes", {0.08, 0.1}}}}},
                                    0.001);
    const auto sources = as_sources(runs);
    const auto findings = scaling_findings(curves_of(sources)[0]);
    EXPECT_NE(findings[0].find("125 %"), std::string::npos) << findings[0];
    EXPECT_NE(findings[0].find("that is superlinear: of the base's step at equal work the steps "
                               "that were split save 20.0 % useful passes"),
              std::string::npos)
        << findings[0];
}

// Three runs of another system, machine and age beside a curve; the disturbed one is of the curve.
TEST(ScalingCurve, NamesTheRunsThatAreInNone) {
    auto other = written_run({2, 1500.0, 200.0});
    other.environment["machine"]["host"] = "right";
    auto old = written_run({4, 3000.0, 400.0});
    numbers_of(old, "summary", "tokens_per_step") = {0.0};
    ScaledRun disturbed{2, 900.0, 200.0};
    disturbed.disturbed = true;
    const auto sources =
        as_sources({written_run({1, 1000.0, 100.0}), written_run({2, 1900.0, 200.0}), other, old,
                    written_run(disturbed)});
    auto left_out = in_no_curve(curves_of(sources), sources);
    ASSERT_EQ(left_out.size(), 2U);
    std::ranges::sort(left_out);
    EXPECT_TRUE(left_out[0].starts_with("c.h5 (")) << left_out[0];
    EXPECT_TRUE(
        left_out[0].ends_with(" on 2 ranks): no other number of ranks of its system and "
                              "machine"))
        << left_out[0];
    EXPECT_TRUE(left_out[1].starts_with("d.h5 (")) << left_out[1];
    EXPECT_TRUE(left_out[1].ends_with("does not say how many tokens a step has")) << left_out[1];
}

TEST(ScalingCurve, SaysThatItsRunsAreOfSeveralBuilds) {
    std::vector<Record> records{written_run({1, 1000.0, 100.0}), written_run({2, 1900.0, 200.0})};
    for (auto& record : records) record.environment["build"]["flags"] = "-O3";
    const auto words = [&] {
        const auto sources = as_sources(records);
        return builds_words(curves_of(sources).at(0));
    };
    EXPECT_EQ(words(), "");
    records[1].environment["build"]["flags"] = "-O0";
    EXPECT_NE(words().find("its runs are of 2 builds of the program"), std::string::npos);
}

// Slurm gave one run to n1 and the other to n2 and n3.
TEST(ScalingCurve, IsOfOneMachineInAPartitionOfACluster) {
    std::vector<Record> records{written_run({1, 1000.0, 100.0}), written_run({2, 1900.0, 200.0})};
    for (std::size_t i = 0; i < 2; ++i) {
        records[i].environment["machine"]["host"] = i == 0 ? "n1" : "n2";
        records[i].environment["variables"] = {{"SLURM_JOB_PARTITION", "gpu"}};
    }
    EXPECT_TRUE(scaling_curves(as_sources(records)).empty());
    for (auto& record : records) record.environment["variables"]["SLURM_CLUSTER_NAME"] = "hall";
    EXPECT_EQ(scaling_curves(as_sources(records)).size(), 1U);
    records[1].environment["variables"]["SLURM_JOB_PARTITION"] = "cpu";
    EXPECT_TRUE(scaling_curves(as_sources(records)).empty());
}

// Two weak curves of one system: neither takes the other's parts, nor its name.
TEST(ScalingCurve, OfAnotherBatchPerRankIsAnother) {
    const auto run = [](int ranks, double tokens) {
        return written_run(
            {ranks, 1000.0 * ranks, tokens, {{"input", {tokens / 1000.0 / ranks, 0.1}}}});
    };
    const auto sources = as_sources({run(1, 100.0), run(2, 200.0), run(1, 300.0), run(2, 600.0)});
    const auto curves = curves_of(sources);
    ASSERT_EQ(curves.size(), 2U);
    EXPECT_NE(curves[0].name().find("weak scaling, 100 tokens per rank and step"),
              std::string::npos)
        << curves[0].name();
    EXPECT_NE(curves[1].name().find("300 tokens per rank"), std::string::npos);
    Record record;
    fill_record(curves, record);
    ASSERT_EQ(record.verification.size(), 5U);
    for (const Check& check : record.verification) EXPECT_TRUE(check.passed) << check.detail;
}

// As of an older version, which split in fewer parts.
TEST(ScalingCurve, JoinsPointsWithDifferentParts) {
    const auto sources = as_sources(
        {written_run({1, 1000.0, 100.0, {{"input", {0.1, 0.1}}}}),
         written_run({2, 2000.0, 200.0, {{"input", {0.07, 0.1}}, {"overlap off", {0.03, 0.0}}}})});
    const auto curve = curves_of(sources).at(0);
    EXPECT_EQ(curve.parts(), (std::vector<std::string>{"input", "overlap off"}));
    EXPECT_EQ(curve.base().split.part("overlap off"), nullptr);
    EXPECT_EQ(curve.points[1].split.part("overlap off")->time_s, 0.03);
    EXPECT_EQ(scaling_section(sources)->figures.size(), 2U);
}

}  // namespace
}  // namespace shardstone::validation
