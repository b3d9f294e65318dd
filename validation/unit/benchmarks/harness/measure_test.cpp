// SPDX-License-Identifier: BSD-3-Clause
// Ranks of unequal speed start together, stop alike and agree on the slowest rank's time.
#include "benchmarks/harness/measure.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using benchmarks::Measurement;
using benchmarks::MeasurePolicy;

void sleep_for(double time_s) {
    const timespec pause{0, static_cast<long>(time_s * 1e9)};
    nanosleep(&pause, nullptr);
}

/// Sleeps a time of its own on every rank and in every iteration, between 20 and 320 us.
struct UnequalRanks {
    RandomStream random{5, static_cast<std::uint64_t>(world().rank())};
    std::uint64_t iteration = 0;

    void operator()() { sleep_for(20e-6 + 300e-6 * random.uniform(iteration++)); }
};

void expect_equal_on_all_ranks(const Measurement& mine) {
    std::vector<double> numbers{mine.median_s, static_cast<double>(mine.warmup_iterations),
                                static_cast<double>(mine.samples_s.size())};
    for (const double number : numbers) EXPECT_EQ(world().min(number), world().max(number));
    for (const double sample : mine.samples_s) {
        ASSERT_EQ(world().min(sample), world().max(sample));
    }
}

TEST(Measure, UnequalRanksDecideAlikeAndAgreeOnEverySample) {
    for (const double precision : {0.5, 0.1, 0.02}) {
        std::int64_t calls = 0;
        UnequalRanks work;
        const auto result = benchmarks::measure(
            world(), {.relative_precision = precision, .time_limit_s = 0.1}, [&] {
                ++calls;
                work();
            });
        expect_equal_on_all_ranks(result);
        EXPECT_EQ(calls, result.warmup_iterations + std::ssize(result.samples_s));
        EXPECT_GE(std::ssize(result.samples_s), 10);
        ASSERT_TRUE(result.interval_s);
        EXPECT_LE(result.interval_s->low, result.median_s);
        EXPECT_GE(result.interval_s->high, result.median_s);
    }
}

TEST(Measure, TheSlowestRankIsTheTime) {
    // A skew planted on the last rank only must show in every sample of all ranks.
    constexpr double planted_s = 2e-3;
    const bool slow = world().rank() == world().size() - 1;
    const auto result =
        benchmarks::measure(world(), {.fixed_iterations = 8, .fixed_warmup = 0}, [&] {
            if (slow) sleep_for(planted_s);
        });
    EXPECT_GE(std::ranges::min(result.samples_s), planted_s);
}

TEST(Measure, RanksStartTogether) {
    // Ranks 0 and 1 take turns in leaving the work late. Without a common start the other one would
    // begin its next iteration early, wait there for the late one, and then be late itself: twice
    // the time in every sample but the first. Late by far more than messages take where ranks share
    // cores with other work.
    if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
    constexpr double late_s = 50e-3;
    int iteration = 0;
    const auto result =
        benchmarks::measure(world(), {.fixed_iterations = 8, .fixed_warmup = 0}, [&] {
            world().barrier();
            if (world().rank() == iteration++ % 2) sleep_for(late_s);
        });
    EXPECT_LT(std::ranges::min(std::span(result.samples_s).subspan(1)), 1.5 * late_s);
}

TEST(Measure, FixedCountsAreExact) {
    std::int64_t calls = 0;
    const auto result =
        benchmarks::measure(world(), {.fixed_iterations = 70, .fixed_warmup = 3}, [&] { ++calls; });
    EXPECT_EQ(calls, 73);
    EXPECT_EQ(result.warmup_iterations, 3);
    EXPECT_EQ(result.samples_s.size(), 70U);
    const auto few =
        benchmarks::measure(world(), {.fixed_iterations = 5, .fixed_warmup = 0}, [] {});
    EXPECT_FALSE(few.interval_s) << "five samples support no 95 % interval";
}

TEST(Measure, ALongIterationEndsWarmUpAtOnceAndStopsAtTheLeast) {
    const auto result = benchmarks::measure(world(), {.time_limit_s = 0.01, .least_iterations = 3},
                                            [] { sleep_for(6e-3); });
    EXPECT_EQ(result.warmup_iterations, 1);
    EXPECT_EQ(result.samples_s.size(), 3U);
}

TEST(Measure, RefusesABadPolicy) {
    EXPECT_THROW(benchmarks::measure(world(), {.time_limit_s = 0.0}, [] {}), Error);
}

}  // namespace
}  // namespace shardstone::validation
