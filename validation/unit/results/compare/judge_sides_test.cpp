// SPDX-License-Identifier: BSD-3-Clause
// Verdicts in which only one side is noisy, disturbed or at the margin: A counts as much as B.
#include <gtest/gtest.h>

#include <cmath>

#include "results/compare/judge.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

const ComparableTable durations{"times", "time_s", Better::lower, {}};
const Source one_run{};

std::vector<Repetition> runs_of(const std::vector<double>& values) {
    std::vector<Repetition> runs;
    for (const double value : values) {
        runs.push_back({&one_run, value, std::nan(""), std::nan("")});
    }
    return runs;
}

MatchedRow row_of(const std::vector<double>& a, const std::vector<double>& b) {
    return {&durations, "kind", {}, "s", runs_of(a), runs_of(b)};
}

/// Exchanges A and B.
MatchedRow mirrored(MatchedRow row) {
    std::swap(row.a, row.b);
    return row;
}

JudgedRow judged(const MatchedRow& row, const JudgeOptions& options = {}) {
    return judge({row}, options).at(0);
}

// Own intervals of +- 1.96 times 0.3 on one of two sides: half of their variance remains.
TEST(JudgedSides, BothGiveTheirOwnIntervals) {
    MatchedRow row = row_of({1.0, 1.0}, {1.0, 1.0});
    for (Repetition& run : row.b) {
        run.low = std::exp(-0.3 * 1.959964);
        run.high = std::exp(0.3 * 1.959964);
    }
    EXPECT_NEAR(judged(row).deviation, 0.3 / std::sqrt(2.0), 1e-6);
    EXPECT_NEAR(judged(mirrored(row)).deviation, 0.3 / std::sqrt(2.0), 1e-6);
}

TEST(JudgedSides, BothLeaveDisturbedRunsOut) {
    MatchedRow row = row_of({1.0, 1.0, 2.0}, {1.0, 1.01, 1.0});
    row.a[2].disturbed = true;
    EXPECT_EQ(judged(row).left_out, 1U);
    EXPECT_EQ(judged(row).runs_a, 2U);
    EXPECT_EQ(judged(row).runs_b, 3U);
    EXPECT_EQ(judged(mirrored(row)).left_out, 1U);
    EXPECT_FALSE(judged(row).disturbed);
    for (Repetition& run : row.a) run.disturbed = true;
    EXPECT_TRUE(judged(row).disturbed);
    EXPECT_TRUE(judged(mirrored(row)).disturbed);
    EXPECT_EQ(judged(row).verdict, Verdict::undecided);
}

// Ten rows are judged more strictly than one, but not because of nine that nobody judges: two runs
// of 1 and 1.02 beside two of 1.22 and 1.2444 have p = 0.005, and a tenth of 1 % is less.
TEST(JudgedSides, AreNotDoubtedForRowsThatAreNotJudged) {
    std::vector<MatchedRow> rows{row_of({1.0, 1.02}, {1.22, 1.2444})};
    for (int i = 0; i < 9; ++i) rows.push_back(row_of({1.0, 1.5}, {1.5, 1.0}));
    EXPECT_NEAR(judge(rows, {}).at(0).p_value, 0.00492, 1e-5);
    EXPECT_EQ(judge(rows, {}).at(0).verdict, Verdict::undecided);
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
        for (Repetition& run : row->a) run.disturbed = true;
    }
    EXPECT_EQ(judge(rows, {}).at(0).verdict, Verdict::worse);
}

// From 1 / 1.03 to 1.03: 0.9705 lies below, though it is within 3 % of 1, and its inverse above.
TEST(JudgedSides, HaveTheSameMargin) {
    const MatchedRow row = row_of({1.0, 1.0, 1.0}, {0.9705, 0.9705, 0.9705});
    EXPECT_EQ(judged(row).verdict, Verdict::better);
    EXPECT_EQ(judged(mirrored(row)).verdict, Verdict::worse);
    const MatchedRow within = row_of({1.0, 1.0, 1.0}, {0.9715, 0.9715, 0.9715});
    EXPECT_EQ(judged(within).verdict, Verdict::same);
    EXPECT_EQ(judged(mirrored(within)).verdict, Verdict::same);
}

// A comparison checks itself by this: one that calls a row only in one direction, in the same
// direction twice, or by another ratio, is not verified.
TEST(JudgedSides, AreFoundNotToBeInverse) {
    const MatchedRow worse = row_of({1.0, 1.01, 1.0}, {1.2, 1.21, 1.2});
    const MatchedRow same = row_of({1.0, 1.0, 1.0}, {1.0, 1.0, 1.001});
    const auto there = judge({worse, same}, {});
    const auto back = judge({mirrored(worse), mirrored(same)}, {});
    EXPECT_TRUE(are_inverse(there, back));
    EXPECT_FALSE(are_inverse(there, there));
    EXPECT_FALSE(are_inverse(there, {back[1], back[0]}));
    EXPECT_FALSE(are_inverse(there, {back[0]}));
    auto changed = back;
    changed[0].verdict = Verdict::worse;
    EXPECT_FALSE(are_inverse(there, changed));
    changed = back;
    changed[1].ratio *= 1.0 + 1e-6;
    EXPECT_FALSE(are_inverse(there, changed));
}

}  // namespace
}  // namespace shardstone::validation
