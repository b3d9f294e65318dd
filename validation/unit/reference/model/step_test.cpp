// SPDX-License-Identifier: BSD-3-Clause
// The verdict of `shardstone step`, on made-up timings.
#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/training/step_record.hpp"

namespace shardstone::validation {
namespace {

benchmarks::StepSetup setup() {
    return {.model = reference::gpt_preset("nano"),
            .micro_batch = 2,
            .sequence = 16,
            .precision = {},
            .policy = {}};
}

benchmarks::StepTiming timing(double first_loss, double last_loss) {
    benchmarks::StepTiming made_up;
    made_up.step.median_s = 0.5;
    made_up.first_loss = first_loss;
    made_up.last_loss = last_loss;
    made_up.flop = 1e9;
    made_up.peak.core_flop_per_s = 8e9;
    return made_up;
}

TEST(StepTiming, RatesFollowFromTheMedian) {
    const auto made_up = timing(5.5, 5.0);
    EXPECT_DOUBLE_EQ(made_up.tokens_per_s(setup()), 64.0);
    EXPECT_DOUBLE_EQ(made_up.flop_per_s(), 2e9);
    EXPECT_DOUBLE_EQ(made_up.mfu(), 0.25);
}

TEST(StepTiming, ChecksAreOfAllRanksLossesAndOfThePeak) {
    auto made_up = timing(5.5, 5.0);
    made_up.all_learn = true;
    for (const auto& check : checks_of(made_up)) EXPECT_TRUE(check.passed) << check.name;
    made_up.all_learn = false;
    EXPECT_FALSE(checks_of(made_up).at(0).passed);
    made_up.peak.core_flop_per_s = 1.9e9;
    EXPECT_FALSE(checks_of(made_up).at(1).passed) << "2e9 FLOP/s";
}

TEST(StepTiming, OnlyALossThatStartsUniformAndFallsPasses) {
    const double uniform = std::log(256.0);
    EXPECT_TRUE(timing(uniform, uniform - 0.1).learns(setup()));
    EXPECT_FALSE(timing(uniform, uniform).learns(setup())) << "does not fall";
    EXPECT_FALSE(timing(uniform + 1.0, uniform).learns(setup())) << "starts elsewhere";
    EXPECT_FALSE(timing(std::nan(""), std::nan("")).learns(setup()));
}

}  // namespace
}  // namespace shardstone::validation
