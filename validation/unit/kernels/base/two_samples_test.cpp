// SPDX-License-Identifier: BSD-3-Clause
// Student's two-sample t and false discoveries against published and independently computed values.
#include "kernels/base/two_samples.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/percent.hpp"

namespace shardstone {
namespace {

constexpr std::array first{1.0, 2.0, 3.0};
constexpr std::array second{2.0, 4.0, 6.0, 8.0};

// Sums of squares 2 and 20 over 3 + 4 - 2 degrees of freedom; t(0.975, 5) = 2.570582 (tables). The
// p-value is an integral over the density, computed apart.
TEST(TwoSamples, AreStudentsWithPooledDeviation) {
    const auto found = mean_difference(first, second);
    EXPECT_DOUBLE_EQ(found.difference, 3.0);
    EXPECT_NEAR(found.deviation, std::sqrt(22.0 / 5.0), 1e-12);
    EXPECT_NEAR(found.error, std::sqrt(22.0 / 5.0 * (1.0 / 3.0 + 1.0 / 4.0)), 1e-12);
    EXPECT_EQ(found.degrees, 5.0);
    EXPECT_NEAR(half_width(found, 0.95), 2.570582 * found.error, 1e-5);
    EXPECT_NEAR(p_value(found), 0.1200176377, 1e-8);
    const auto inverse = mean_difference(second, first);
    EXPECT_DOUBLE_EQ(inverse.difference, -3.0);
    EXPECT_DOUBLE_EQ(p_value(inverse), p_value(found));
}

// Variances 1 and 20 / 3, of the means 1 / 3 and 5 / 3: an error of sqrt(2), and 2^2 over
// (1 / 3)^2 / 2 + (5 / 3)^2 / 3 = 53 / 54 degrees of freedom.
TEST(TwoSamples, WithADeviationEachAreWelchs) {
    const auto found = mean_difference_of_two_deviations(first, second);
    EXPECT_DOUBLE_EQ(found.difference, 3.0);
    EXPECT_TRUE(std::isnan(found.deviation));
    EXPECT_NEAR(found.error, std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(found.degrees, 216.0 / 53.0, 1e-12);
}

// t(0.975, 1) = 12.7062: what does not vary adds no degree of freedom.
TEST(TwoSamples, OfWhichOneSetDoesNotVaryHaveTheOthersDegrees) {
    const auto found =
        mean_difference_of_two_deviations(std::array{1.0, 1.0, 1.0}, std::array{4.0, 6.0});
    EXPECT_DOUBLE_EQ(found.degrees, 1.0);
    EXPECT_NEAR(half_width(found, 0.95), 12.7062 * 1.0, 1e-4);
    const auto none = mean_difference_of_two_deviations(std::array{1.0, 1.0}, std::array{5.0, 5.0});
    EXPECT_EQ(half_width(none, 0.95), 0.0);
}

// At that p-value the interval ends at 0.
TEST(TwoSamples, IntervalsAndPValuesAgree) {
    const auto found = mean_difference(first, second);
    EXPECT_NEAR(half_width(found, 1.0 - p_value(found)), 3.0, 1e-9);
}

TEST(TwoSamples, OneSampleBesideSeveralTakesTheirDeviation) {
    constexpr std::array one{10.0};
    const auto found = mean_difference(first, one);
    EXPECT_EQ(found.degrees, 2.0);
    EXPECT_DOUBLE_EQ(found.deviation, 1.0);
    EXPECT_DOUBLE_EQ(found.error, std::sqrt(4.0 / 3.0));
}

TEST(TwoSamples, DeviationIsAtLeastTheLeast) {
    EXPECT_DOUBLE_EQ(mean_difference(first, second, 7.0).deviation, 7.0);
    EXPECT_NEAR(mean_difference(first, second, 0.5).deviation, std::sqrt(4.4), 1e-12);
}

// The normal quantile z(0.995) = 2.575829.
TEST(TwoSamples, AnAssumedDeviationIsNormal) {
    const auto found = mean_difference_assuming(std::array{1.0}, std::array{1.5}, 0.1);
    EXPECT_NEAR(half_width(found, 0.99), 2.575829 * 0.1 * std::sqrt(2.0), 1e-6);
    EXPECT_NEAR(p_value(found), std::erfc(0.5 / (0.1 * std::sqrt(2.0)) / std::sqrt(2.0)), 1e-12);
}

TEST(TwoSamples, WithoutAnErrorAnyDifferenceIsOne) {
    EXPECT_EQ(p_value(MeanDifference{0.0, 0.0, 0.0, 3.0}), 1.0);
    EXPECT_EQ(p_value(MeanDifference{1e-9, 0.0, 0.0, 3.0}), 0.0);
}

// Of the 15 p-values in the paper, four are discoveries at 5 % (section 3.2), in any order.
TEST(Discoveries, AreThoseOfBenjaminiAndHochberg) {
    std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                          0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    EXPECT_NEAR(discovery_level(p, 0.05), 0.05 * 4.0 / 15.0, 1e-12);
    std::swap(p.front(), p.back());
    EXPECT_NEAR(discovery_level(p, 0.05), 0.05 * 4.0 / 15.0, 1e-12);
}

TEST(Discoveries, AreAllOrNoneAtTheEnds) {
    EXPECT_DOUBLE_EQ(discovery_level(std::vector{0.5, 0.6, 0.7, 0.8}, 0.04), 0.01);
    EXPECT_DOUBLE_EQ(discovery_level(std::vector{0.03, 0.035, 0.04, 0.02}, 0.04), 0.04);
    EXPECT_DOUBLE_EQ(discovery_level(std::vector{0.9}, 0.04), 0.04);
}

TEST(SamplesEach, AreTheFewestThatResolveTheDifference) {
    constexpr double deviation = 0.01, difference = 0.03;
    const std::size_t count = samples_each(deviation, difference, 0.99);
    const auto half_of = [&](std::size_t each) {
        const auto n = static_cast<double>(each);
        return half_width({0.0, deviation, deviation * std::sqrt(2.0 / n), 2.0 * n - 2.0}, 0.99);
    };
    EXPECT_LE(half_of(count), difference);
    EXPECT_GT(half_of(count - 1), difference);
    EXPECT_EQ(samples_each(1.0, 1e-6, 0.99), most_samples_each);
}

TEST(Percent, NeedsItsSign) {
    EXPECT_DOUBLE_EQ(parse_percent("3%"), 0.03);
    EXPECT_DOUBLE_EQ(parse_percent("0.5 %"), 0.005);
    EXPECT_DOUBLE_EQ(parse_percent("0%"), 0.0);
    EXPECT_DOUBLE_EQ(parse_percent("150%"), 1.5);
    for (const char* bad :
         {"", "%", "3", "0.03", "-3%", "3%%", "3 % ", "nan%", "inf%", "1e999%", "three%", " 3%"}) {
        EXPECT_THROW(parse_percent(bad), Error) << bad;
    }
}

}  // namespace
}  // namespace shardstone
