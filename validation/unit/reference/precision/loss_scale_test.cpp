// SPDX-License-Identifier: BSD-3-Clause
// The loss scale halves at an overflow, grows after good steps, and says which steps to skip.
#include "reference/precision/loss_scale.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/base/error.hpp"
#include "reference/precision/precision.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = LossScaling::Kind;

/// The scale after each of some steps, 0 for a step that overflows.
std::vector<double> scales_after(LossScale& scale, const std::vector<bool>& finite) {
    std::vector<double> scales;
    for (const bool step : finite) {
        EXPECT_EQ(scale.skips(step), !step);
        scales.push_back(scale.value());
    }
    return scales;
}

TEST(LossScale, HalvesAtAnOverflowAndDoublesAfterGoodSteps) {
    LossScale scale({.kind = Kind::dynamic, .initial = 8.0, .growth_interval = 3});
    EXPECT_EQ(scales_after(scale, {true, true, false, true, true, true, false, false}),
              (std::vector<double>{8, 8, 4, 4, 4, 8, 4, 2}));
    EXPECT_EQ(scale.skipped(), 3);
}

TEST(LossScale, StaysBetweenOneAndTheLargest) {
    LossScale scale({.kind = Kind::dynamic, .initial = 2.0, .growth_interval = 1, .largest = 4.0});
    EXPECT_EQ(scales_after(scale, {true, true, false, false, false, true}),
              (std::vector<double>{4, 4, 2, 1, 1, 2}));
}

TEST(LossScale, ConstantSkipsButStays) {
    LossScale scale({.kind = Kind::constant, .initial = 16.0, .growth_interval = 1});
    EXPECT_EQ(scales_after(scale, {true, false, true}), (std::vector<double>{16, 16, 16}));
    EXPECT_EQ(scale.skipped(), 1);
}

TEST(LossScale, WithoutOneNothingIsSkipped) {
    LossScale scale(LossScaling{});
    EXPECT_EQ(scale.value(), 1.0);
    EXPECT_FALSE(scale.skips(false));
    EXPECT_EQ(scale.skipped(), 0);
}

TEST(Precision, IsFoundByName) {
    for (const Precision& each : precisions()) {
        EXPECT_EQ(find_precision(each.name).summary, each.summary);
        EXPECT_NE(precision_names().find(each.name), std::string::npos);
    }
    EXPECT_THROW(find_precision("fp31"), Error);
}

}  // namespace
}  // namespace shardstone::validation
