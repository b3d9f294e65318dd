// SPDX-License-Identifier: BSD-3-Clause
// Medians, their intervals, quantiles and warm-up counts, equal to those of the Python scripts.
#include "kernels/base/statistics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace shardstone {
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

TEST(QuantileInterval, AgreesWithTheMedianAndHasOpenEndsForFewSamples) {
    for (const std::size_t count : {6U, 9U, 20U, 70U}) {
        const auto interval = quantile_interval(counting(count), 0.5);
        EXPECT_EQ(interval.low, median_interval(counting(count))->low) << count;
        EXPECT_EQ(interval.high, median_interval(counting(count))->high) << count;
    }
    // All of n lie below the 90 % quantile with 0.9^n: 2.2 % for 36, 2.5 % for 35 and more.
    EXPECT_TRUE(std::isinf(quantile_interval(counting(34), 0.9).high));
    EXPECT_EQ(quantile_interval(counting(36), 0.9).high, 36.0);
    // All of n lie above it with 0.1^n: for one, 10 %; for two, 1 %.
    EXPECT_TRUE(std::isinf(quantile_interval(counting(1), 0.9).low));
    EXPECT_EQ(quantile_interval(counting(2), 0.9).low, 1.0);
    EXPECT_TRUE(std::isinf(quantile_interval({}, 0.9).low));
    EXPECT_THROW(quantile_interval(counting(9), 1.0), Error);
}

TEST(ShareInterval, IsThatOfClopperAndPearson) {
    // None of n: 1 - 0.025^(1/n).
    EXPECT_NEAR(share_interval(0, 10).high, 1.0 - std::pow(0.025, 0.1), 1e-12);
    EXPECT_EQ(share_interval(0, 10).low, 0.0);
    EXPECT_NEAR(share_interval(10, 10).low, std::pow(0.025, 0.1), 1e-12);
    EXPECT_EQ(share_interval(10, 10).high, 1.0);
    // Of one of two: P(at least one) = 1 - (1 - p)^2 = 0.025, and the same from above.
    EXPECT_NEAR(share_interval(1, 2).low, 1.0 - std::sqrt(0.975), 1e-12);
    EXPECT_NEAR(share_interval(1, 2).high, std::sqrt(0.975), 1e-12);
    EXPECT_LT(share_interval(0, 3000, 0.9).high, 1e-3);
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

TEST(Quartiles, AreInterpolatedAsQuantilesAreAndTheMiddleIsTheMedian) {
    const Quartiles of_four = quartiles(std::vector<double>{40, 10, 30, 20});
    EXPECT_DOUBLE_EQ(of_four.low, 17.5);
    EXPECT_DOUBLE_EQ(of_four.middle, 25.0);
    EXPECT_DOUBLE_EQ(of_four.high, 32.5);
    const auto many = counting(41);
    EXPECT_DOUBLE_EQ(quartiles(many).low, *quantile(many, 0.25));
    EXPECT_DOUBLE_EQ(quartiles(many).high, *quantile(many, 0.75));
    EXPECT_EQ(quartiles(std::vector<double>{7}).high, 7.0);
    EXPECT_THROW(quartiles({}), Error);
}

TEST(Mean, IsNotTheMedian) {
    EXPECT_DOUBLE_EQ(mean(std::vector<double>{1, 2, 9}), 4.0);
    EXPECT_THROW(mean({}), Error);
}

TEST(WarmupCount, IsWhatTheSeriesSays) {
    EXPECT_EQ(warmup_count(std::vector<double>{3}), 0U);
    EXPECT_EQ(warmup_count(std::vector<double>{9, 3}), 1U);
    EXPECT_EQ(warmup_count(counting(10)), 1U);  // too few to compare windows
    // A slow first step, then alike; then four slow ones: the first window to be like the next
    // begins where at most a few slow ones widen its range.
    const std::vector<double> one_cold{90, 5, 7, 6, 5, 7, 6, 6, 5, 7, 6, 5};
    EXPECT_EQ(warmup_count(one_cold), 1U);
    // Falls, each below all before it, until the eighth.
    const std::vector<double> falling{99, 90, 80, 70, 60, 50, 40, 30, 5, 7, 6, 5,
                                      7,  6,  6,  5,  7,  6,  5,  7,  6, 6, 5, 6};
    EXPECT_GE(warmup_count(falling), 6U);
    EXPECT_LE(warmup_count(falling), 8U);
    EXPECT_EQ(warmup_count(counting(40)), 20U);  // never steady: half, and no more
}

/// What a line of Python prints that knows the rules of the scripts and `samples`.
std::string said_by_script(const std::vector<double>& samples, const std::string& expression) {
    const std::string command = fmt::format(
        "{} -B -c 'import sys; sys.path.insert(0, \"{}/benchmarks/harness\"); "
        "from sample_statistics import *; samples = [{:.17g}]; print(\"%.17g %.17g\" % ({}))'",
        std::getenv("SHARDSTONE_PYTHON3"), SHARDSTONE_SOURCE_DIR, fmt::join(samples, ","),
        expression);
    std::FILE* const pipe = popen(command.c_str(), "r");
    std::array<char, 256> line{};
    const char* const said = std::fgets(line.data(), line.size(), pipe);
    EXPECT_EQ(pclose(pipe), 0) << command;
    return said ? said : "";
}

TEST(Statistics, TheScriptsHaveTheSameRules) {
    if (const char* python = std::getenv("SHARDSTONE_PYTHON3"); !python || !*python) {
        GTEST_SKIP() << "no Python here";
    }
    const RandomStream random(3, "scripts");
    for (const std::size_t count : {6U, 11U, 40U, 257U}) {
        std::vector<double> samples(count);
        for (std::size_t i = 0; i < count; ++i) samples[i] = std::exp(random.normal(i));
        const Interval interval = median_interval(samples).value();
        EXPECT_EQ(said_by_script(samples, "median_interval(samples)"),
                  fmt::format("{:.17g} {:.17g}\n", interval.low, interval.high));
        const Quartiles spread = quartiles(samples);
        std::istringstream outer(said_by_script(samples, "quartiles(samples)[::2]"));
        double low = 0.0, high = 0.0;
        outer >> low >> high;
        EXPECT_DOUBLE_EQ(low, spread.low);
        EXPECT_DOUBLE_EQ(high, spread.high);
        std::istringstream middle(
            said_by_script(samples, "(median(samples), quartiles(samples)[1])"));
        middle >> low >> high;
        EXPECT_DOUBLE_EQ(low, median(samples));
        EXPECT_DOUBLE_EQ(high, spread.middle);
    }
}

TEST(PairedMedians, AreTheMediansWhereNothingChanges) {
    const auto medians = paired_medians({{2.0, 2.0, 2.0}, {8.0, 8.0, 8.0}});
    ASSERT_EQ(medians.size(), 2U);
    EXPECT_DOUBLE_EQ(medians[0], 2.0);
    EXPECT_DOUBLE_EQ(medians[1], 8.0);
}

// The first takes 0.9 of the second's time in the same state of the machine, which is six times as
// slow in half of the rounds and changed within the second and the fourth. Plain medians would be 6
// against 1.1.
TEST(PairedMedians, AMachineThatChangesBetweenRoundsDoesNotDecide) {
    const auto medians = paired_medians({{1.0, 6.0, 6.0, 6.0, 1.0}, {1.1, 1.1, 6.6, 1.1, 1.1}});
    EXPECT_LT(medians[0], medians[1]);
}

TEST(PairedMedians, CountOnlyRoundsThatAllTookPartIn) {
    const auto medians = paired_medians({{2.0, 100.0}, {4.0}});
    EXPECT_DOUBLE_EQ(medians[0], 2.0);
    EXPECT_DOUBLE_EQ(medians[1], 4.0);
}

}  // namespace
}  // namespace shardstone
