// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/harness/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::benchmarks {
namespace {

std::vector<double> counting(std::size_t count) {
    std::vector<double> values(count);
    std::iota(values.rbegin(), values.rend(), 1.0);  // falling: sorting is part of what is tested
    return values;
}

TEST(Median, OfOddAndEvenCounts) {
    EXPECT_EQ(median(counting(1)), 1.0);
    EXPECT_EQ(median(counting(5)), 3.0);
    EXPECT_EQ(median(counting(6)), 3.5);
    EXPECT_THROW(median({}), Error);
}

TEST(MedianInterval, RanksAgreeWithThePrintedTable) {
    // Le Boudec, table A.1 (95 %, median): n and the ranks of both ends.
    const std::vector<std::array<double, 3>> table{
        {6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {12, 3, 10}, {20, 6, 15}, {30, 10, 21}, {70, 27, 44}};
    for (const auto& [count, low, high] : table) {
        const auto interval = median_interval(counting(static_cast<std::size_t>(count)));
        ASSERT_TRUE(interval) << count;
        EXPECT_EQ(interval->low, low) << count;
        EXPECT_EQ(interval->high, high) << count;
    }
}

TEST(MedianInterval, IsRefusedBelowSixSamples) {
    for (std::size_t count = 0; count < 6; ++count) EXPECT_FALSE(median_interval(counting(count)));
    EXPECT_TRUE(median_interval(counting(5), 0.9));
    EXPECT_FALSE(median_interval(counting(7), 0.99));
    EXPECT_THROW(median_interval(counting(7), 1.0), Error);
}

/// How often the interval holds the true median (0) of a skewed distribution with heavy tails.
double coverage(std::size_t count, std::uint64_t seed, std::size_t trimmed_further) {
    constexpr int trials = 4000;
    int held = 0;
    const RandomStream random(seed, "coverage");
    std::uint64_t draw = 0;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> samples(count);
        for (double& sample : samples) {
            const double normal = random.normal(draw++);
            sample = normal > 0 ? std::exp(3.0 * normal) - 1.0 : normal;
        }
        std::ranges::sort(samples);
        const std::span trimmed =
            std::span(samples).subspan(trimmed_further, count - 2 * trimmed_further);
        const auto interval = median_interval(trimmed);
        if (interval && interval->low <= 0.0 && 0.0 <= interval->high) ++held;
    }
    return static_cast<double>(held) / trials;
}

TEST(MedianInterval, CoversTheMedianAsOftenAsItSays) {
    // Below 95 % by chance only: three standard deviations of 4000 trials are 1.03 %.
    for (const std::size_t count : {6U, 11U, 40U, 101U}) {
        EXPECT_GT(coverage(count, 7, 0), 0.95 - 0.0103) << count;
    }
}

TEST(MedianInterval, AFalseOneIsSeenByTheCoverageTest) {
    // Dropping 8 samples at both ends, as an outlier filter would, narrows it: seen at once.
    EXPECT_LT(coverage(40, 7, 8), 0.95 - 0.0103);
}

TEST(Quantile, NeedsTenSamplesBeyondIt) {
    EXPECT_FALSE(quantile(counting(99), 0.9));
    ASSERT_TRUE(quantile(counting(100), 0.9));
    EXPECT_NEAR(*quantile(counting(100), 0.9), 90.1, 1e-12);
    EXPECT_NEAR(*quantile(counting(100), 0.1), 10.9, 1e-12);
    EXPECT_FALSE(quantile(counting(999), 0.99));
    EXPECT_TRUE(quantile(counting(1000), 0.99));
    EXPECT_EQ(*quantile(counting(21), 0.5), 11.0);
    EXPECT_THROW(quantile(counting(100), 1.0), Error);
}

}  // namespace
}  // namespace shardstone::benchmarks
