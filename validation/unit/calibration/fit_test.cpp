// SPDX-License-Identifier: BSD-3-Clause
// Lines and intervals fitted to times whose answer is known.
#include "benchmarks/collectives/calibration/fit.hpp"

#include <gtest/gtest.h>

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

TEST(FitLine, NeverNegative) {
    const std::vector<SizeTime> falling{{64, 3e-6}, {65536, 1e-6}};
    EXPECT_EQ(fit_line(falling).beta_s_per_byte, 0.0);
    const std::vector<SizeTime> steep{{64, 1e-9}, {128, 1e-3}};
    EXPECT_EQ(fit_line(steep).alpha_s, 0.0);
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
