// SPDX-License-Identifier: BSD-3-Clause
// Parts of a step over repetitions that were split differently, or not at all.
#include <gtest/gtest.h>

#include <algorithm>

#include "results/report/scaling_curve.hpp"
#include "results/report/scaling_findings.hpp"
#include "results/report/scaling_rows.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// One rank with two parts, and on two ranks one run for each of these gaps.
ScalingPoint joined(const std::vector<std::map<std::string, std::pair<double, double>>>& gaps,
                    std::vector<std::string>& findings) {
    std::vector<Record> runs{
        written_run({1, 1000.0, 100.0, {{"input", {0.04, 0.0}}, {"useful passes", {0.06, 0.1}}}})};
    for (const auto& gap : gaps) runs.push_back(written_run({2, 2000.0, 200.0, gap}));
    const auto sources = as_sources(runs);
    const auto curve = scaling_curves(sources).at(0);
    findings = scaling_findings(curve);
    return curve.points.at(1);
}

TEST(ScalingSplit, SplitsAPointByTheRunsThatWereSplit) {
    std::vector<std::string> findings;
    const auto point = joined({{{"input", {0.03, 0.01}}, {"useful passes", {0.07, 0.08}}},
                               {},
                               {{"input", {0.05, 0.03}}, {"useful passes", {0.05, 0.08}}}},
                              findings);
    EXPECT_EQ(point.rates.size(), 3U);
    EXPECT_EQ(point.split_runs(), 2U);
    EXPECT_NEAR(point.split.part("input")->time_s, 0.04, 1e-12);
    EXPECT_NEAR(point.split.part("input")->predicted_s, 0.02, 1e-12);
    EXPECT_NEAR(point.split.part("input")->time_s_low, 0.015, 1e-12);
    EXPECT_NEAR(point.split.part("input")->time_s_high, 0.075, 1e-12);
    EXPECT_NEAR(point.split.part("useful passes")->time_s, 0.06, 1e-12);
    EXPECT_NEAR(point.split.step_s, 0.1, 1e-12);
    const auto says = [&](const char* words) {
        return std::ranges::count_if(findings, [&](const std::string& text) {
            return text.find(words) != std::string::npos;
        });
    };
    EXPECT_EQ(says("on 2 ranks the parts of a step are of 2 of 3 runs, without "), 1);
    EXPECT_EQ(says("(no --explain)"), 1);
}

// As of an older version, whose other parts hold the time of the new one.
TEST(ScalingSplit, JoinsRunsWithDifferentParts) {
    std::vector<std::string> findings;
    const auto point =
        joined({{{"input", {0.1, 0.1}}}, {{"input", {0.06, 0.1}}, {"overlap off", {0.04, 0.02}}}},
               findings);
    EXPECT_NEAR(point.split.part("input")->time_s, 0.08, 1e-12);
    EXPECT_NEAR(point.split.part("overlap off")->time_s, 0.02, 1e-12);
    EXPECT_NEAR(point.split.part("overlap off")->predicted_s, 0.01, 1e-12);
    EXPECT_EQ(point.split.part("overlap off")->time_s_low, 0.0);
    EXPECT_NEAR(point.split.parts_s(), point.split.step_s, 1e-12);
    for (const std::string& text : findings)
        EXPECT_EQ(text.find("no --explain"), std::string::npos);
}

// The first run was replayed with a change that halves its step of 100 ms, the other, of 60 ms in
// its parts, was not: their mean of 80 ms is halved.
TEST(ScalingSplit, ShortensTheMeanStepAsAChangeShortensTheRunsThatHaveIt) {
    auto changed = written_run({2, 2000.0, 200.0, {{"input", {0.1, 0.2}}}});
    changed.derived.push_back(
        table_of(std::vector<ChangedStepRow>{{"perfect overlap", "", 0.05, 0.05}}));
    const auto sources =
        as_sources({written_run({1, 1000.0, 100.0, {{"input", {0.1, 0.1}}}}), changed,
                    written_run({2, 2000.0, 200.0, {{"input", {0.06, 0.1}}}})});
    const auto point = scaling_curves(sources).at(0).points.at(1);
    ASSERT_EQ(point.split.changed.size(), 1U);
    EXPECT_NEAR(point.split.changed[0].step_s, 0.04, 1e-12);
    EXPECT_NEAR(point.split.changed[0].predicted_s, 0.0375, 1e-12);
    EXPECT_NEAR(point.rate_if(point.split.changed[0]), 2.0 * point.rate, 1e-9);
}

// Two all-reduces that would be faster are two changes.
TEST(ScalingSplit, KeepsChangesApartThatDifferInDetail) {
    auto tree = written_run({2, 2000.0, 200.0, {{"input", {0.1, 0.2}}}});
    auto ring = tree;
    using Rows = std::vector<ChangedStepRow>;
    tree.derived.push_back(table_of(Rows{{"another all-reduce", "tree", 0.05, 0.05}}));
    ring.derived.push_back(table_of(Rows{{"another all-reduce", "ring", 0.08, 0.05}}));
    const auto sources =
        as_sources({written_run({1, 1000.0, 100.0, {{"input", {0.1, 0.1}}}}), tree, ring});
    const auto point = scaling_curves(sources).at(0).points.at(1);
    ASSERT_EQ(point.split.changed.size(), 2U);
    EXPECT_EQ(point.split.changed[0].detail, "tree");
    EXPECT_NEAR(point.split.changed[0].step_s, 0.05, 1e-12);
    EXPECT_EQ(point.split.changed[1].detail, "ring");
    EXPECT_NEAR(point.split.changed[1].step_s, 0.08, 1e-12);
}

}  // namespace
}  // namespace shardstone::validation
