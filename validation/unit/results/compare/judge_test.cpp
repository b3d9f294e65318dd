// SPDX-License-Identifier: BSD-3-Clause
// Verdicts of comparisons on made-up runs: false alarms, found slowdowns, and the cases at the
// edges.
#include "results/compare/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace shardstone::validation {
namespace {

using namespace results;

const ComparableTable times{"times", "time_s", Better::lower, {}};
const ComparableTable rates{"rates", "rate", Better::higher, {}};
const Source a_run{};

/// Runs of equal systems: normal logarithms, of which a part is common to all rows of a run.
class Runs {
  public:
    explicit Runs(std::uint64_t seed) : engine_(seed) {}

    /// `count` runs of `rows` rows; the figures are multiplied by `factor`.
    std::vector<std::vector<double>> of(std::size_t count, std::size_t rows, double deviation,
                                        double factor = 1.0) {
        std::vector<std::vector<double>> figures(rows);
        for (std::size_t run = 0; run < count; ++run) {
            const double common = normal_(engine_);
            for (std::size_t row = 0; row < rows; ++row) {
                const double own = normal_(engine_);
                const double error = deviation * (0.6 * common + 0.8 * own);
                figures[row].push_back(factor * 1e-5 * std::exp(error));
            }
        }
        return figures;
    }

  private:
    std::mt19937_64 engine_;
    std::normal_distribution<double> normal_;
};

std::vector<Repetition> repetitions(const std::vector<double>& figures) {
    std::vector<Repetition> runs;
    for (const double figure : figures) {
        runs.push_back({&a_run, figure, std::nan(""), std::nan("")});
    }
    return runs;
}

std::vector<MatchedRow> rows_of(const ComparableTable& table,
                                const std::vector<std::vector<double>>& a,
                                const std::vector<std::vector<double>>& b) {
    std::vector<MatchedRow> rows;
    for (std::size_t i = 0; i < a.size(); ++i) {
        rows.push_back({&table, "kind", {}, "s", repetitions(a[i]), repetitions(b[i])});
    }
    return rows;
}

JudgedRow judged_row(const ComparableTable& table, const std::vector<double>& a,
                     const std::vector<double>& b, const JudgeOptions& options = {}) {
    return judge(rows_of(table, {a}, {b}), options).at(0);
}

std::ptrdiff_t count(const std::vector<JudgedRow>& rows, Verdict verdict) {
    return std::ranges::count(rows, verdict, &JudgedRow::verdict);
}

/// Pairs of which any row is called better or worse, with a margin that makes nothing the same.
int pairs_called_different(int pairs, std::size_t runs, std::size_t rows, double deviation) {
    Runs source(20261125 + rows);
    int called = 0;
    for (int pair = 0; pair < pairs; ++pair) {
        const auto a = source.of(runs, rows, deviation), b = source.of(runs, rows, deviation);
        const auto judged = judge(rows_of(times, a, b), {.margin = 0.0});
        called += count(judged, Verdict::better) + count(judged, Verdict::worse) > 0 ? 1 : 0;
    }
    return called;
}

TEST(EqualSystems, AreCalledDifferentInAtMostFiveOfAHundredPairs) {
    for (const double deviation : {0.01, 0.02}) {
        for (const std::size_t rows : {1, 20, 120}) {
            EXPECT_LE(pairs_called_different(100, 5, rows, deviation), 5) << rows << " rows";
        }
    }
}

// 1 % of 4000 are 40, with a binomial deviation of 6.3: within five of them. The test is that of
// the level, of the degrees of freedom and of the error: any other gives another rate.
TEST(EqualSystems, AreCalledDifferentAsOftenAsStated) {
    for (const std::size_t runs : {2, 3, 5}) {
        const int called = pairs_called_different(4000, runs, 1, 0.015);
        EXPECT_GE(called, 9) << runs << " runs";
        EXPECT_LE(called, 71) << runs << " runs";
    }
    EXPECT_LE(pairs_called_different(1000, 5, 20, 0.015), 25);
}

// A quarter of the runs are 10 % slower, as on a machine whose cores are not all alike.
TEST(EqualSystems, WithTwoKindsOfRunsRaiseFewAlarms) {
    std::mt19937_64 engine(7);
    std::bernoulli_distribution slow(0.25);
    std::normal_distribution<double> noise(0.0, 0.01);
    int called = 0;
    for (int pair = 0; pair < 100; ++pair) {
        std::vector<double> sides[2];
        for (auto& side : sides) {
            for (int run = 0; run < 5; ++run) {
                side.push_back(std::exp(noise(engine) + (slow(engine) ? 0.1 : 0.0)));
            }
        }
        const auto verdict = judged_row(times, sides[0], sides[1]).verdict;
        called += verdict == Verdict::better || verdict == Verdict::worse ? 1 : 0;
    }
    EXPECT_LE(called, 5);
}

TEST(EqualSystems, AreTheSameIfTheRunsAreQuiet) {
    Runs source(3);
    int same = 0;
    for (int pair = 0; pair < 100; ++pair) {
        const auto a = source.of(5, 1, 0.01), b = source.of(5, 1, 0.01);
        same += judge(rows_of(times, a, b), {}).at(0).verdict == Verdict::same ? 1 : 0;
    }
    EXPECT_GE(same, 90);  // 95 % interval +- 1.5 %, the ratio's deviation 0.6 %, the margin 3 %
}

struct Planted {
    const ComparableTable* table;
    double factor;
    Verdict expected;
};

/// Pairs of which every row gets the verdict.
int pairs_with(const Planted& planted, std::size_t runs, std::size_t rows, double deviation) {
    Runs source(11);
    int right = 0;
    for (int pair = 0; pair < 100; ++pair) {
        const auto a = source.of(runs, rows, deviation);
        const auto b = source.of(runs, rows, deviation, planted.factor);
        const auto judged = judge(rows_of(*planted.table, a, b), {});
        right += count(judged, planted.expected) == std::ssize(judged) ? 1 : 0;
    }
    return right;
}

TEST(PlantedChange, OfFivePercentIsCalledWithItsDirection) {
    const Planted changes[]{{&times, 1.05, Verdict::worse},
                            {&times, 1.0 / 1.05, Verdict::better},
                            {&rates, 1.05, Verdict::better},
                            {&rates, 1.0 / 1.05, Verdict::worse}};
    for (const Planted& change : changes) {
        EXPECT_GE(pairs_with(change, 5, 1, 0.01), 95);
        EXPECT_GE(pairs_with(change, 10, 1, 0.02), 95);
    }
    // A machine that is slower in everything: the many rows support each other.
    EXPECT_GE(pairs_with(changes[0], 5, 40, 0.01), 90);
}

TEST(PlantedChange, InOneRowOfManyLeavesTheOthersAlone) {
    Runs source(5);
    auto a = source.of(10, 30, 0.01), b = source.of(10, 30, 0.01);
    for (double& time : b[17]) time *= 1.05;
    const auto judged = judge(rows_of(times, a, b), {});
    EXPECT_EQ(count(judged, Verdict::worse), 1);
    EXPECT_EQ(judged[17].verdict, Verdict::worse);
    EXPECT_NEAR(judged[17].worse_by(), 0.05, 0.02);
}

TEST(Verdict, HasTheRatioOfGeometricMeansAndItsInterval) {
    const auto row = judged_row(times, {1.0, 4.0}, {6.0, 6.0});
    EXPECT_NEAR(row.a, 2.0, 1e-12);
    EXPECT_NEAR(row.b, 6.0, 1e-12);
    EXPECT_NEAR(row.ratio, 3.0, 1e-12);
    // Squares about the mean 2 (ln 2)^2 over two degrees of freedom; t(0.975, 2) = 4.302653.
    EXPECT_NEAR(row.deviation, std::log(2.0), 1e-12);
    EXPECT_NEAR(std::log(row.interval.high / row.ratio), 4.302653 * std::log(2.0), 1e-5);
    EXPECT_NEAR(std::log(row.ratio / row.interval.low), 4.302653 * std::log(2.0), 1e-5);
    // t(0.995, 2) = 9.924843.
    EXPECT_NEAR(std::log1p(row.noise_floor), 9.924843 * std::log(2.0), 1e-5);
    EXPECT_EQ(row.verdict, Verdict::undecided);
    EXPECT_EQ(row.reason, "within the noise");
}

TEST(Verdict, OfOneRunEachTakesTheAssumedDeviationAndTheOwnIntervals) {
    auto rows = rows_of(times, {{1.0}}, {{1.1}});
    auto row = judge(rows, {.run_deviation = 0.05}).at(0);
    EXPECT_TRUE(row.assumed);
    EXPECT_NEAR(std::log1p(row.noise_floor), 2.575829 * 0.05 * std::sqrt(2.0), 1e-6);
    EXPECT_EQ(row.verdict, Verdict::undecided);
    EXPECT_EQ(row.reason, "one run on each side");
    EXPECT_EQ(judge(rows, {.run_deviation = 0.01}).at(0).verdict, Verdict::undecided);
    const JudgeOptions stated{.run_deviation = 0.01, .deviation_is_stated = true};
    EXPECT_EQ(judge(rows, stated).at(0).verdict, Verdict::worse);
    // Own intervals of +- 1.96 times 0.3 are the larger part.
    for (auto* side : {&rows[0].a, &rows[0].b}) {
        auto& run = side->front();
        run.low = run.value * std::exp(-0.3 * 1.959964);
        run.high = run.value * std::exp(0.3 * 1.959964);
    }
    row = judge(rows, stated).at(0);
    EXPECT_EQ(row.reason, "within the noise");
    EXPECT_NEAR(row.deviation, std::sqrt(0.01 * 0.01 + 0.3 * 0.3), 1e-6);
    EXPECT_EQ(row.verdict, Verdict::undecided);
}

// A guess makes no verdict, neither different nor same, and leaves the other rows theirs.
TEST(Verdict, OfOneRunEachNeedsAStatedDeviation) {
    const auto rows = rows_of(times, {{1.0}, {1.0}, {1.0, 1.0}}, {{50.0}, {1.0}, {1.05, 1.05}});
    const auto judged = judge(rows, {.run_deviation = 0.001});
    EXPECT_EQ(judged[0].verdict, Verdict::undecided);
    EXPECT_EQ(judged[1].verdict, Verdict::undecided);
    EXPECT_EQ(judged[2].verdict, Verdict::worse);
    const auto stated = judge(rows, {.run_deviation = 0.001, .deviation_is_stated = true});
    EXPECT_EQ(stated[0].verdict, Verdict::worse);
    EXPECT_EQ(stated[1].verdict, Verdict::same);
}

TEST(Verdict, IsNeverMoreCertainThanTheRunsThemselves) {
    auto rows = rows_of(times, {{1.0, 1.0, 1.0}}, {{1.05, 1.05, 1.05}});
    EXPECT_EQ(judge(rows, {}).at(0).verdict, Verdict::worse);
    for (auto* side : {&rows[0].a, &rows[0].b}) {
        for (auto& run : *side) {
            run.low = run.value * 0.9;
            run.high = run.value * 1.1;
        }
    }
    EXPECT_EQ(judge(rows, {}).at(0).verdict, Verdict::undecided);
}

TEST(Verdict, IsNotBasedOnDisturbedRuns) {
    auto rows = rows_of(times, {{1.0, 1.0, 1.01}}, {{1.0, 1.01, 2.0}});
    rows[0].b[2].disturbed = true;
    auto row = judge(rows, {}).at(0);
    EXPECT_EQ(row.runs_b, 2U);
    EXPECT_EQ(row.left_out, 1U);
    EXPECT_NEAR(row.ratio, 1.0, 0.01);
    EXPECT_EQ(row.verdict, Verdict::same);
    for (auto& run : rows[0].b) {
        run.disturbed = true;
        run.value = 5.0;
    }
    row = judge(rows, {}).at(0);
    EXPECT_TRUE(row.disturbed);
    EXPECT_EQ(row.verdict, Verdict::undecided);
    EXPECT_EQ(row.reason, "the machine was busy");
    EXPECT_NEAR(row.ratio, 5.0, 0.1);  // shown, not judged
    rows[0].a = rows[0].b;
    EXPECT_EQ(judge(rows, {}).at(0).verdict, Verdict::undecided);
    EXPECT_EQ(judge(rows, {.same_runs = true}).at(0).verdict, Verdict::same);
}

TEST(Verdict, OfTheVerySameRunsIsSameWhateverTheirNoise) {
    const auto row = judged_row(times, {1.0, 2.0}, {1.0, 2.0}, {.margin = 0.0, .same_runs = true});
    EXPECT_EQ(row.verdict, Verdict::same);
    EXPECT_EQ(row.interval.low, 1.0);
    EXPECT_EQ(row.interval.high, 1.0);
    EXPECT_GT(row.noise_floor, 0.1);
    EXPECT_EQ(judged_row(times, {1.0, 2.0}, {1.0, 2.0}).verdict, Verdict::undecided);
}

TEST(Verdict, DependsOnTheMargin) {
    const std::vector<double> a{1.0, 1.001, 0.999}, b{1.02, 1.021, 1.019};
    EXPECT_EQ(judged_row(times, a, b, {.margin = 0.03}).verdict, Verdict::same);
    EXPECT_EQ(judged_row(times, a, b, {.margin = 0.01}).verdict, Verdict::worse);
    EXPECT_EQ(judged_row(rates, a, b, {.margin = 0.01}).verdict, Verdict::better);
}

TEST(Verdict, NeedsPositiveFigures) {
    const auto row = judged_row(times, {0.0, 1.0}, {1.0, 1.0});
    EXPECT_EQ(row.verdict, Verdict::undecided);
    EXPECT_TRUE(std::isnan(row.ratio));
    EXPECT_EQ(row.reason, "a figure is 0 or less");
}

TEST(Verdict, LeavesRowsOfOneSideOut) {
    auto rows = rows_of(times, {{1.0}}, {{1.0}});
    rows.push_back(rows[0]);
    rows[1].b.clear();
    EXPECT_EQ(judge(rows, {}).size(), 1U);
}

TEST(RunsNeeded, PutTheNoiseFloorAtTheMargin) {
    auto row = judged_row(times, {1.0, 1.02}, {1.01, 0.99});
    row.deviation = 0.02;
    const std::size_t few = runs_needed(row, 0.05, 1), many = runs_needed(row, 0.05, 100);
    EXPECT_GT(many, few);
    Runs source(9);
    const auto a = source.of(few, 1, 0.02), b = source.of(few, 1, 0.02);
    EXPECT_NEAR(judge(rows_of(times, a, b), {}).at(0).noise_floor, 0.05, 0.03);
}

}  // namespace
}  // namespace shardstone::validation
