// SPDX-License-Identifier: BSD-3-Clause
// The real command where it cannot judge, where its checks fail, and what `verify` says of that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "results/report/words.hpp"
#include "results/schema/scaling.hpp"
#include "validation/unit/results/scaling/scale_command.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

TEST_F(ScaleCommand, FailsWhereThePartsDoNotAddUp) {
    copy_as(false, 1.5, "altered");
    const auto outcome = scale("altered");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.errors.find("2 ranks: the parts add up to the step within 2 %"),
              std::string::npos)
        << outcome.errors;
}

std::vector<std::string> verdicts_in(const Record& record) {
    std::vector<std::string> verdicts;
    for (const auto& fit : rows_of<ScalingFitRow>(record)) verdicts.push_back(fit.verdict);
    return verdicts;
}

// The same parts and rates as in the test before: what is wrong there cannot be judged here.
TEST_F(ScaleCommand, JudgesNothingOfDisturbedPoints) {
    copy_as(false, 1.0, "quiet");
    copy_as(true, 1.5, "busy");
    scale("quiet --json quiet.json");
    const auto outcome = scale("busy --json busy.json");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const Record quiet = record_at("quiet.json"), busy = record_at("busy.json");
    const auto point = rows_of<ScalingRow>(busy).at(1);
    EXPECT_NE(
        outcome.output.find(fmt::format("the parts of a step on 2 ranks (their sum is {}, while "
                                        "it took {} by the trainings' own clock)",
                                        time_text(point.parts_s), time_text(point.split_step_s))),
        std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("! disturbed: the machine was busy with other work"),
              std::string::npos);
    EXPECT_EQ(quiet.verification.size(), 4U);
    ASSERT_EQ(busy.verification.size(), 1U) << "of the runs, which were disturbed and sound";
    const std::string& detail = busy.verification[0].detail;
    EXPECT_TRUE(detail.starts_with("3 runs; no verdict on the parts of a step: nano")) << detail;
    for (const char* words : {", 1 rank (disturbed)", ", 2 ranks (disturbed)", ", 3 ranks (dist"}) {
        EXPECT_NE(detail.find(words), std::string::npos) << detail;
    }
    const auto verified = run_in(shardstone_binary() + " verify busy.json");
    EXPECT_EQ(verified.code, 0) << verified.output;
    EXPECT_NE(verified.output.find("good    busy.json: unchanged, 1 check passed"),
              std::string::npos)
        << verified.output;
    const std::string none = "cannot be judged: no interval",
                      not_here = "cannot be judged: disturbed";
    EXPECT_EQ(verdicts_in(busy), (std::vector<std::string>{none, not_here, not_here}));
    for (const auto& fit : rows_of<ScalingFitRow>(quiet)) EXPECT_NE(fit.verdict, not_here);
    EXPECT_TRUE(std::isfinite(rows_of<ScalingFitRow>(busy).at(1).holds));
    for (const auto& change : rows_of<ScalingChangeRow>(busy)) EXPECT_EQ(change.disturbed, 1.0);
    for (const auto& change : rows_of<ScalingChangeRow>(quiet)) EXPECT_EQ(change.disturbed, 0.0);
}

}  // namespace
}  // namespace shardstone::validation
