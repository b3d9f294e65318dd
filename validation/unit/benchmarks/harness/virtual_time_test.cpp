// SPDX-License-Identifier: BSD-3-Clause
// What is timed, on members whose clocks are known: from which start, to which end, in whose turn.
#include <gtest/gtest.h>

#include <array>

#include "benchmarks/harness/interleaved.hpp"
#include "benchmarks/harness/measure.hpp"
#include "validation/unit/benchmarks/harness/virtual_team.hpp"

namespace shardstone::validation {
namespace {

using namespace benchmarks;

// Three members come off the start line 0, 5 and 2 s late and work for 11, 3 and 7.5 s. The last
// one to start is at it at 5 s, the last one to end has done so at 11 s, and the longest took 11 s.
constexpr std::array late_s{0.0, 5.0, 2.0};
constexpr std::array work_s{11.0, 3.0, 7.5};
constexpr double longest_s = 11.0, since_last_start_s = 6.0, skew_s = 5.0;

/// The measurement of every member, which are equal.
std::vector<Measurement> measured(TimeFrom from, bool one_clock) {
    std::vector<Measurement> all(late_s.size());
    run_virtual_team(static_cast<int>(late_s.size()), [&](VirtualMeeting& meeting, int rank) {
        const auto me = static_cast<std::size_t>(rank);
        VirtualMember member(meeting, rank, late_s[me], one_clock);
        MeasurePolicy policy{.fixed_iterations = 7, .fixed_warmup = 2};
        policy.from = from;
        all[me] = measure(member, policy, [&] { member.pass(work_s[me]); });
    });
    return all;
}

TEST(VirtualTime, CountsFromTheLastStart) {
    for (const Measurement& one : measured(TimeFrom::last_start, true)) {
        EXPECT_EQ(one.samples_s, std::vector<double>(7, since_last_start_s));
        EXPECT_EQ(one.median_s, since_last_start_s);
        EXPECT_EQ(one.laps.since_own_start_s, std::vector<double>(7, longest_s));
        EXPECT_EQ(one.laps.skew_s, std::vector<double>(7, skew_s));
        EXPECT_EQ(one.median_skew_s, skew_s);
        EXPECT_EQ(one.warmup_iterations, 2);
    }
}

TEST(VirtualTime, CountsFromOnesOwnStartWhereThatIsAsked) {
    for (const Measurement& one : measured(TimeFrom::own_start, true)) {
        EXPECT_EQ(one.samples_s, std::vector<double>(7, longest_s));
        EXPECT_EQ(one.laps.since_last_start_s, std::vector<double>(7, since_last_start_s));
    }
}

TEST(VirtualTime, ComparesNoClocksThatDiffer) {
    for (const Measurement& one : measured(TimeFrom::last_start, false)) {
        EXPECT_EQ(one.samples_s, std::vector<double>(7, longest_s));
        EXPECT_TRUE(one.laps.since_last_start_s.empty());
        EXPECT_TRUE(one.laps.skew_s.empty());
        EXPECT_FALSE(one.median_skew_s);
    }
}

TEST(VirtualTime, WhatPreparesIsNotTimed) {
    run_virtual_team(1, [](VirtualMeeting& meeting, int rank) {
        VirtualMember member(meeting, rank, 0.0);
        int prepared = 0;
        const auto result = measure(
            member, {.fixed_iterations = 6, .fixed_warmup = 1}, [&] { member.pass(1.0); },
            [&] {
                ++prepared;
                member.pass(100.0);
            });
        EXPECT_EQ(prepared, 7);
        EXPECT_EQ(result.samples_s, std::vector<double>(6, 1.0));
    });
}

/// Iterations of warm-up for work that gets faster for ever, and so never looks warm.
std::int64_t warmup_of(double first_s, double time_limit_s) {
    std::int64_t warmup = 0;
    run_virtual_team(1, [&](VirtualMeeting& meeting, int rank) {
        VirtualMember member(meeting, rank, 0.0);
        double next_s = first_s;
        MeasurePolicy policy;
        policy.time_limit_s = time_limit_s;
        warmup = measure(member, policy, [&] {
                     member.pass(next_s);
                     next_s *= 0.999;
                 }).warmup_iterations;
    });
    return warmup;
}

TEST(VirtualTime, WarmUpEndsAfterHalfTheLimitOrAHundredIterations) {
    // Half of 2 s at 1/32 s each and a little less: 32 of them and a few more, in batches of up
    // to 5.
    EXPECT_GE(warmup_of(1.0 / 32, 2.0), 32);
    EXPECT_LE(warmup_of(1.0 / 32, 2.0), 32 + 5);
    EXPECT_GE(warmup_of(1.0 / 32, 1000.0), 100);
    EXPECT_LT(warmup_of(1.0 / 32, 1000.0), 105);
}

TEST(VirtualTime, MeasuringEndsAtTheLimitWhereTimesScatter) {
    run_virtual_team(1, [](VirtualMeeting& meeting, int rank) {
        VirtualMember member(meeting, rank, 0.0);
        MeasurePolicy policy;
        policy.time_limit_s = 4.0;
        int call = 0;
        const auto result = measure(member, policy, [&] { member.pass(++call % 2 ? 0.01 : 0.03); });
        double spent_s = 0.0;
        for (const double sample_s : result.samples_s) spent_s += sample_s;
        // Warm-up takes ten iterations of 20 ms on average; a batch is a tenth of the limit.
        EXPECT_NEAR(spent_s, 4.0 - 0.2, 0.45);
        EXPECT_NEAR(result.interval_s->low, 0.01, 1e-9);
        EXPECT_NEAR(result.interval_s->high, 0.03, 1e-9);
    });
}

/// Whoever goes second in a round takes twice as long; `second` takes three times `first`.
RatioSpread compare_where_the_later_is_slow(std::int64_t iterations) {
    RatioSpread spread;
    run_virtual_team(1, [&](VirtualMeeting& meeting, int rank) {
        VirtualMember member(meeting, rank, 0.0);
        std::int64_t runs = 0;
        const auto work = [&](double time_s) {
            const bool later = runs++ / iterations % 2 == 1;
            member.pass(later ? 2.0 * time_s : time_s);
        };
        spread = compare_interleaved(member, TimeFrom::last_start, 5, iterations,
                                     {[&] { work(1.0); }, {}}, {[&] { work(3.0); }, {}});
    });
    return spread;
}

TEST(Interleaved, WhoeverWentSecondGoesFirstInTheNextRound) {
    for (const std::int64_t iterations : {1, 3}) {
        const RatioSpread spread = compare_where_the_later_is_slow(iterations);
        EXPECT_EQ(spread.ratios, (std::vector{6.0, 1.5, 6.0, 1.5, 6.0}));
        EXPECT_EQ(spread.median, 6.0);
        EXPECT_EQ(spread.range.low, 1.5);
        EXPECT_EQ(spread.range.high, 6.0);
    }
}

TEST(Interleaved, ARangeCoversARatioAndItsInverse) {
    const RatioSpread spread = compare_where_the_later_is_slow(1);
    for (const double inside : {1.5, 2.0, 6.0, 0.5, 1.0 / 6.0}) EXPECT_TRUE(spread.covers(inside));
    for (const double outside : {1.0, 1.4, 6.1, 0.7, 0.15}) EXPECT_FALSE(spread.covers(outside));
}

}  // namespace
}  // namespace shardstone::validation
