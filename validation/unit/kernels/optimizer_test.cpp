// SPDX-License-Identifier: BSD-3-Clause
// Plain SGD, gradient clipping and the learning rate's schedule, scaling and refusals.
#include "kernels/base/error.hpp"
#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/learning_rate.hpp"
#include "kernels/optimizer/sgd.hpp"
#include "kernels/optimizer/update_factors.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

TEST(Sgd, MovesAgainstTheScaledGradientAndDecays) {
    std::vector<double> weights{1.0, -2.0};
    const std::vector<double> gradients{4.0, 8.0};
    const UpdateFactors factors{.gradient_scale = 0.125};
    sgd_update<double>(HostQueue(),
                       {.learning_rate = 0.5, .weight_decay = 0.25, .factors = FactorsAt(&factors)},
                       weights, gradients);
    EXPECT_EQ(weights, (std::vector<double>{1.0 - 0.5 * (0.5 + 0.25), -2.0 - 0.5 * (1.0 - 0.5)}));
}

TEST(GradientNorm, ClippingFactor) {
    EXPECT_EQ(clipping_factor(4.0, 1.0), 0.25);
    EXPECT_EQ(clipping_factor(0.5, 1.0), 1.0);
    EXPECT_EQ(clipping_factor(1e9, 0.0), 1.0);
    EXPECT_TRUE(std::isnan(clipping_factor(HUGE_VAL, 1.0)));
    EXPECT_TRUE(std::isnan(clipping_factor(std::nan(""), 1.0)));
}

TEST(UpdateFactors, FollowFromTheSumOfSquares) {
    const std::vector<double> threes_and_fours{3.0, 4.0};
    SquareSum::Limbs squares{};
    add_squares<double>(HostQueue(), threes_and_fours, squares);
    UpdateFactors factors;
    find_factors(HostQueue(), squares, {.clip = 2.0, .skips_overflow = true}, factors);
    EXPECT_EQ(factors.gradient_norm, 5.0);
    EXPECT_EQ(factors.gradient_scale, 0.4);
    EXPECT_FALSE(factors.skips);

    const std::vector<double> overflow{HUGE_VAL};
    add_squares<double>(HostQueue(), overflow, squares);
    find_factors(HostQueue(), squares, {.clip = 2.0, .skips_overflow = true}, factors);
    EXPECT_TRUE(std::isnan(factors.gradient_norm) && factors.skips);
    find_factors(HostQueue(), squares, {.clip = 2.0, .skips_overflow = false}, factors);
    EXPECT_TRUE(std::isnan(factors.gradient_scale));
    EXPECT_FALSE(factors.skips) << "divergence is to be seen";
}

TEST(LearningRate, WarmsUpAndFallsAsAHalfCosine) {
    const LearningRate rate{.peak = 1.0, .floor = 0.1, .warmup_steps = 10, .total_steps = 110};
    EXPECT_DOUBLE_EQ(rate.at(1), 0.1);
    EXPECT_DOUBLE_EQ(rate.at(5), 0.5);
    EXPECT_DOUBLE_EQ(rate.at(10), 1.0);
    EXPECT_DOUBLE_EQ(rate.at(60), 0.55);
    EXPECT_DOUBLE_EQ(rate.at(35), 0.1 + 0.45 * (1.0 + std::sqrt(0.5)));
    EXPECT_DOUBLE_EQ(rate.at(110), 0.1);
    EXPECT_DOUBLE_EQ(rate.at(1000), 0.1);
}

TEST(LearningRate, FloorAtThePeakIsConstant) {
    const LearningRate rate{.peak = 0.3, .floor = 0.3, .warmup_steps = 0, .total_steps = 5};
    for (int step = 1; step < 10; ++step) EXPECT_DOUBLE_EQ(rate.at(step), 0.3);
}

TEST(LearningRate, CanStayAtThePeak) {
    const LearningRate rate{.peak = 0.3,
                            .floor = 0.1,
                            .warmup_steps = 2,
                            .total_steps = 5,
                            .shape = LearningRate::Shape::constant};
    EXPECT_DOUBLE_EQ(rate.at(1), 0.15);
    for (int step = 2; step < 10; ++step) EXPECT_EQ(rate.at(step), 0.3);
}

TEST(RateScaling, IsLinearOrByTheRoot) {
    EXPECT_EQ(rate_factor(RateScaling::none, 8192, 0), 1.0);
    EXPECT_EQ(rate_factor(RateScaling::linear, 8192, 256), 32.0);  // Goyal et al. 2017
    EXPECT_EQ(rate_factor(RateScaling::square_root, 1024, 256), 2.0);
    EXPECT_EQ(rate_factor(RateScaling::linear, 64, 256), 0.25);
}

TEST(RateScaling, IsReadAndWritten) {
    for (const char* name : {"none", "linear", "sqrt"}) {
        EXPECT_EQ(to_string(parse_rate_scaling(name)), name);
    }
    for (const char* name : {"cosine", "constant"}) {
        EXPECT_EQ(to_string(parse_rate_shape(name)), name);
    }
    EXPECT_THROW(parse_rate_scaling("square"), Error);
    EXPECT_THROW(parse_rate_shape("step"), Error);
}

TEST(LearningRate, WhatDoesNotFitIsRefused) {
    EXPECT_THROW((LearningRate{.peak = 0.0}.validate()), Error);
    EXPECT_THROW((LearningRate{.peak = 0.1, .floor = 0.2}.validate()), Error);
    EXPECT_THROW((LearningRate{.warmup_steps = 5, .total_steps = 4}.validate()), Error);
    EXPECT_NO_THROW((LearningRate{.warmup_steps = 4, .total_steps = 4}.validate()));
}

}  // namespace
}  // namespace shardstone::validation
