// SPDX-License-Identifier: BSD-3-Clause
// When a measurement is warmed up and when it is precise enough, on series of known shape.
#include "benchmarks/harness/stopping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::benchmarks {
namespace {

/// How many samples of a series the rule takes for warm-up, looking after each window.
std::int64_t warmup_of(const std::function<double(std::int64_t)>& series) {
    std::vector<double> samples;
    while (!warmed_up(samples) && samples.size() < 1000) {
        samples.push_back(series(std::ssize(samples)));
    }
    return std::ssize(samples);
}

TEST(WarmUp, AFlatSeriesNeedsTwoWindows) {
    EXPECT_EQ(warmup_of([](std::int64_t) { return 1e-3; }), 2 * warmup_window);
}

TEST(WarmUp, AFallingSeriesIsWaitedFor) {
    // Cold caches: ten times too slow at first, halving with every iteration, down to a floor.
    const auto falling = [](std::int64_t i) {
        return std::max(1e-3, 1e-2 * std::exp2(-static_cast<double>(i) / 4.0));
    };
    const std::int64_t floor_reached = 14;
    EXPECT_GE(warmup_of(falling), floor_reached);
    EXPECT_LE(warmup_of(falling), floor_reached + 2 * warmup_window);
}

TEST(WarmUp, ARisingSeriesIsWaitedFor) {
    const auto rising = [](std::int64_t i) { return i < 40 ? 1e-3 + 1e-5 * double(i) : 1.4e-3; };
    EXPECT_GE(warmup_of(rising), 40);
}

TEST(WarmUp, PureScatterPassesFiveTimesOutOfSix) {
    constexpr int trials = 3000;
    int passed = 0;
    const RandomStream random(11, "scatter");
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> samples;
        for (int i = 0; i < 2 * warmup_window; ++i) {
            samples.push_back(std::exp(random.normal(static_cast<std::uint64_t>(10 * trial + i))));
        }
        passed += warmed_up(samples) ? 1 : 0;
    }
    // 5/6 from the header; three standard deviations of 3000 trials are 2.1 %.
    EXPECT_NEAR(passed / double{trials}, 5.0 / 6.0, 0.021);
}

TEST(StopRule, WaitsForANarrowInterval) {
    MeasurePolicy policy;
    EXPECT_FALSE(precise_enough(std::vector<double>(5, 1.0), policy));  // no interval yet
    EXPECT_TRUE(precise_enough(std::vector<double>(6, 1.0), policy));
    std::vector<double> scattered(6, 1.0);
    scattered.back() = 1.2;  // six samples: the interval is their whole range
    EXPECT_FALSE(precise_enough(scattered, policy));
    policy.relative_precision = 0.25;
    EXPECT_TRUE(precise_enough(scattered, policy));
}

TEST(StopRule, WaitsForSomeMilliseconds) {
    MeasurePolicy policy;
    policy.least_time_s = 2e-3;
    EXPECT_FALSE(precise_enough(std::vector<double>(190, 1e-5), policy));
    EXPECT_TRUE(precise_enough(std::vector<double>(210, 1e-5), policy));
}

TEST(StopRule, GoesByTheWholeWidthOfTheIntervalOverTheMedian) {
    MeasurePolicy policy;
    policy.relative_precision = 0.05;
    // Six samples, so from the least to the greatest: 4.9 % and 5.1 % of the median, 2 ms.
    EXPECT_TRUE(precise_enough(std::vector{2e-3, 2.058e-3, 2e-3, 2e-3, 1.96e-3, 2e-3}, policy));
    EXPECT_FALSE(precise_enough(std::vector{2e-3, 2.062e-3, 2e-3, 2e-3, 1.96e-3, 2e-3}, policy));
}

TEST(StopRule, BatchesShrinkWithTheTimeOfOneIteration) {
    MeasurePolicy policy;
    policy.time_limit_s = 1.0;
    EXPECT_EQ(next_batch(1e-6, policy, 64), 64);
    EXPECT_EQ(next_batch(0.02, policy, 64), 5);
    EXPECT_EQ(next_batch(3.0, policy, 64), 1);
    EXPECT_EQ(next_batch(0.0, policy, 64), 64);
}

TEST(MeasurePolicy, RefusesWhatMakesNoSense) {
    EXPECT_NO_THROW(MeasurePolicy{}.validate());
    EXPECT_THROW((MeasurePolicy{.fixed_iterations = -1}.validate()), Error);
    EXPECT_THROW((MeasurePolicy{.relative_precision = 0.0}.validate()), Error);
    EXPECT_THROW((MeasurePolicy{.time_limit_s = -1.0}.validate()), Error);
    EXPECT_THROW((MeasurePolicy{.least_iterations = 0}.validate()), Error);
    EXPECT_THROW((MeasurePolicy{.least_iterations = 20, .most_iterations = 10}.validate()), Error);
}

}  // namespace
}  // namespace shardstone::benchmarks
