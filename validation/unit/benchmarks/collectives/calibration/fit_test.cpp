// SPDX-License-Identifier: BSD-3-Clause
// Lines and intervals fitted to times whose answer is known.
#include "benchmarks/collectives/calibration/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;
using collectives::SizeTime;

TEST(FitLine, FindsTheLineThatTheTimesLieOn) {
    const std::vector<SizeTime> times{
        {64, 2e-6 + 64e-9}, {4096, 2e-6 + 4096e-9}, {65536, 2e-6 + 65536e-9}};
    const Line line = fit_line(times);
    // A quotient of sums of three terms, and differences that lose at most the digits of
    // t(64) / t(65536): 1e4 units of roundoff.
    EXPECT_NEAR(line.alpha_s, 2e-6, 2e-6 * 1e-12);
    EXPECT_NEAR(line.beta_s_per_byte, 1e-9, 1e-9 * 1e-12);
}

TEST(FitLine, AlphaIsNeverNegative) {
    const std::vector<SizeTime> steep{{64, 1e-9}, {128, 1e-3}};
    EXPECT_EQ(fit_line(steep).alpha_s, 0.0);
}

// On a busy machine small messages take as long as large ones: 1e6 GB/s was said of such times.
TEST(FitLine, WithoutASlopeTheLargestSizeTellsTheRate) {
    for (const double last_s : {1e-6, 3e-6, 3.2e-6}) {
        const std::vector<SizeTime> flat{{64, 3e-6}, {1000, 3e-6}, {100000, last_s}};
        const Line line = fit_line(flat);
        EXPECT_FALSE(line.has_slope) << last_s;
        EXPECT_EQ(line.alpha_s, 3e-6);
        EXPECT_EQ(line.beta_s_per_byte, last_s / 100000.0);
    }
    const std::vector<SizeTime> sloped{{64, 3e-6}, {1000, 3e-6}, {100000, 4e-6}};
    EXPECT_TRUE(fit_line(sloped).has_slope);
    EXPECT_LT(fit_line(sloped).beta_s_per_byte, 1.1e-11);
}

/// 101 samples of each size, a skew distribution whose median is `scale` times the line's.
std::vector<TimedSize> noisy(double scale) {
    std::mt19937_64 random(7);
    std::exponential_distribution<double> tail(1.0);
    std::vector<TimedSize> times;
    for (const std::int64_t size : {8, 512, 32768, 1 << 21}) {
        times.push_back({size, {}});
        const double line_s = 2e-6 + static_cast<double>(size) * 1e-10;
        for (int i = 0; i < 101; ++i) {
            times.back().samples_s.push_back(scale * line_s * (0.9 + 0.1 * tail(random) / 0.6931));
        }
    }
    return times;
}

TEST(FitWithIntervals, CoverTheTruthAndNotADifferentMachine) {
    const auto covers = [](const collectives::Interval95& interval, double value) {
        return interval.low <= value && value <= interval.high;
    };
    const FittedLine fitted = fit_with_intervals(noisy(1.0));
    EXPECT_TRUE(covers(fitted.alpha_s, 2e-6)) << fitted.alpha_s.low << " " << fitted.alpha_s.high;
    EXPECT_TRUE(covers(fitted.beta_s_per_byte, 1e-10));
    EXPECT_LT(fitted.alpha_s.high - fitted.alpha_s.low, 0.2e-6);
    // The planted difference: all times 20 % longer.
    const FittedLine slower = fit_with_intervals(noisy(1.2));
    EXPECT_FALSE(covers(slower.alpha_s, 2e-6));
    EXPECT_FALSE(covers(slower.beta_s_per_byte, 1e-10));
}

/// The bootstrap's interval for the median of the samples 1 to n, in units of what a normal
/// distribution gives for 95 %: 2 x 1.96 standard deviations of sqrt(n) / 2 (a drawn sample is
/// below the middle as often as a coin falls; the middle one of n, counted in samples).
double width_of_interval(int n) {
    TimedSize small{8, {}};
    for (int i = 1; i <= n; ++i) small.samples_s.push_back(i);
    // A larger size that takes next to nothing: no slope, so alpha is the smaller one's median.
    const FittedLine fitted = fit_with_intervals(std::vector{small, TimedSize{1 << 20, {1e-3}}});
    EXPECT_EQ(fitted.line.alpha_s, (n + 1) / 2.0);
    return (fitted.alpha_s.high - fitted.alpha_s.low) / (2.0 * 1.959964 * std::sqrt(n) / 2.0);
}

TEST(FitWithIntervals, HoldNinetyFivePercent) {
    // One interval from 400 draws is off by 5 %, and rounded to whole samples; 60 of them by 1 %.
    // Those for 90 and 99 % would be 0.84 and 1.31 times as wide.
    double sum = 0.0;
    int intervals = 0;
    for (int n = 201; n < 321; n += 2, ++intervals) sum += width_of_interval(n);
    EXPECT_NEAR(sum / intervals, 1.0, 0.04);
}

// Three rounds of equal samples, the last of which took twice as long: who takes all samples for
// independent sees no doubt that the median is 1.
TEST(FitWithIntervals, CountWhatDiffersFromRoundToRound) {
    TimedSize small{8, {}, {20, 20, 20}};
    for (const double of_round : {1.0, 1.0, 2.0})
        small.samples_s.insert(small.samples_s.end(), 20, of_round);
    const TimedSize large{1 << 20, {1e-3}};
    EXPECT_EQ(fit_with_intervals(std::vector{small, large}).alpha_s,
              (collectives::Interval95{1.0, 2.0}));
    small.of_rounds.clear();
    EXPECT_EQ(fit_with_intervals(std::vector{small, large}).alpha_s,
              (collectives::Interval95{1.0, 1.0}));
}

TEST(FitWithIntervals, AreTheSameInEveryRun) {
    EXPECT_EQ(fit_with_intervals(noisy(1.0)).alpha_s, fit_with_intervals(noisy(1.0)).alpha_s);
}

TEST(CurveOf, HasTheMedians) {
    const std::vector<TimedSize> times{{8, {3e-6, 1e-6, 2e-6}}, {64, {5e-6}}};
    const auto curve = curve_of(times);
    EXPECT_EQ(curve.time_s(8), 2e-6);
    EXPECT_EQ(curve.time_s(64), 5e-6);
}

}  // namespace
}  // namespace shardstone::validation
