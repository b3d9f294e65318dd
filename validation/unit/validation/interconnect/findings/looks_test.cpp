// SPDX-License-Identifier: BSD-3-Clause
// When a limit is judged again, and that its verdicts are as rarely wrong as if it were judged
// once.
#include "validation/interconnect/looks.hpp"

#include <gtest/gtest.h>

#include "kernels/base/random.hpp"
#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/limits_in_force.hpp"
#include "validation/interconnect/undecided_limits.hpp"
#include "validation/unit/validation/interconnect/findings/undecided_row.hpp"

namespace shardstone::validation {
namespace {

TEST(Looks, AreAtTwiceAsManySamplesEach) {
    const auto numbers = [](std::int64_t samples) { return look_of(samples, 24, 1); };
    EXPECT_EQ(numbers(1), 1);
    EXPECT_EQ(numbers(24), 1);
    EXPECT_EQ(numbers(25), 2);
    EXPECT_EQ(numbers(48), 2);
    EXPECT_EQ(numbers(49), 3);
    EXPECT_EQ(numbers(most_samples_of_looks), 7);
    EXPECT_EQ(look_of(437, 437, 2), 2);
    EXPECT_EQ(next_look_after(7, 24), 24);
    EXPECT_EQ(next_look_after(24, 24), 48);
    EXPECT_EQ(next_look_after(50, 24), 96);
    EXPECT_EQ(confidence_of_look(0.95, 1), 0.95);
    EXPECT_DOUBLE_EQ(confidence_of_look(0.95, 3), 1.0 - 0.05 / 4);
}

constexpr double limit_us = 20.0;

/// Two ranks with so many samples of the latency each way, of which `below` of 8 are 1 us below the
/// limit and the others 1 us above it; and turns of wake-ups that take 500 us.
InterconnectSamples straddling(int samples, int below, const std::string& statistic = "median") {
    InterconnectSamples all;
    for (const double rank : {0.0, 1.0}) {
        all.places.push_back({rank, rank, rank > 0.0 ? "cn1" : "cn0", -1});
        for (int i = 0; i < samples; ++i) {
            results::PairSampleRow row;
            row.sender = rank;
            row.receiver = 1.0 - rank;
            row.alone = 0.0;
            row.pass = i;
            row.round = 0.0;
            row.size_bytes = 8.0;
            row.time_s = 2e-6 * (limit_us + (i % 8 < below ? -1.0 : 1.0));
            all.pairs.push_back(row);
            all.ranks.push_back({rank, "wake-up", static_cast<double>(i), 0.0, 500e-6});
        }
    }
    all.limits = parse_acceptance(
        "[[limit]]\nquantity = 'latency between nodes'\nsize = '8'\n"
        "limit = 20\nunit = 'us'\nstatistic = '" +
            statistic + "'\n",
        "limits");
    return all;
}

std::int64_t wanted(const InterconnectSamples& samples) {
    return samples_to_next_look(samples, during_pairs);
}

// Of two directions the interval misses on each side with 0.05 / 4 = 1.25 %, 2.24 deviations of
// sqrt(n) / 2; with halves of that 2.50, 2.73 and 2.96. 5 of 8 are sqrt(n) / 4 of these off.
TEST(Looks, GoOnUntilTheLimitIsDecided) {
    EXPECT_EQ(wanted(straddling(24, 5)), 24);
    EXPECT_EQ(wanted(straddling(48, 5)), 48);
    EXPECT_EQ(wanted(straddling(96, 5)), 96) << "2.45 deviations: enough if nothing were corrected";
    EXPECT_EQ(wanted(straddling(192, 5)), 0) << "3.46";
    EXPECT_EQ(wanted(straddling(192, 3)), 0) << "broken";
    EXPECT_EQ(wanted(straddling(24, 8)), 0) << "kept";
    EXPECT_EQ(wanted(straddling(24, 4)), 0) << "too close for any number";
    EXPECT_EQ(wanted(straddling(0, 4)), 0) << "nothing was measured";
    EXPECT_EQ(samples_to_next_look(straddling(24, 5), during_loads), 0);
    EXPECT_EQ(samples_to_next_look(straddling(24, 5), during_ranks), 0);
}

TEST(Looks, HaveTheConfidenceOfTheirSamples) {
    for (const auto& [samples, error] : {std::pair(7, 0.05 / 2),
                                         {24, 0.05 / 2},
                                         {40, 0.05 / 4},
                                         {48, 0.05 / 4},
                                         {96, 0.05 / 8},
                                         {100, 0.05 / 16}}) {
        const auto all = straddling(samples, 5);
        const auto findings = find_in(all);
        EXPECT_DOUBLE_EQ(findings.acceptance.at(0).confidence, 1.0 - error) << samples;
    }
}

// By 24 samples a p99 may be broken, but that is seen by chance and no look: of two directions 437
// know an upper bound.
TEST(Looks, AtAPercentileBeginWhereItCanBeKept) {
    EXPECT_EQ(wanted(straddling(24, 8, "p99")), 437 - 24);
    EXPECT_EQ(wanted(straddling(24, 0, "p99")), 437 - 24);
    EXPECT_EQ(wanted(straddling(437, 8, "p99")), 0);
    EXPECT_EQ(find_in(straddling(437, 8, "p99")).acceptance.at(0).verdict, "pass");
}

TEST(Looks, AtWakeUpsAreTheirOwn) {
    auto samples = straddling(7, 5);
    samples.limits = parse_acceptance(
        "[[limit]]\nquantity = 'wake-up delay'\n"
        "statistic = 'median'\nlimit = 600\nunit = 'us'\n",
        "limits");
    // Of two ranks with 0.05 / 8 on each side: eight.
    EXPECT_EQ(samples_to_next_look(samples, during_ranks), 24 - 7);
    EXPECT_EQ(wanted(samples), 0);
    EXPECT_DOUBLE_EQ(find_in(samples).acceptance.at(0).confidence, 1.0 - 0.05 / 4);
}

/// A normal sample's median is the limit, which is thereby kept: share of runs that find it broken,
/// looking at it until it is decided, with the confidence of each look or always that of the first.
double share_wrong(bool corrected) {
    constexpr int runs = 2000;
    const AcceptanceLimit limit{.quantity = "time", .limit = 0.0, .unit = "us"};
    const RandomStream random(5, "looks");
    std::uint64_t drawn = 0;
    int wrong = 0;
    for (int run = 0; run < runs; ++run) {
        std::vector<double> samples;
        auto acceptance = Acceptance::inconclusive;
        for (std::int64_t count = usual_first_look;
             count <= most_samples_of_looks && acceptance == Acceptance::inconclusive; count *= 2) {
            while (std::ssize(samples) < count) samples.push_back(random.normal(drawn++));
            const int look = corrected ? look_of(count, usual_first_look, 1) : 1;
            const auto interval = quantile_interval(samples, 0.5, confidence_of_look(0.95, look));
            acceptance = compare(interval, limit);
        }
        wrong += acceptance == Acceptance::fail ? 1 : 0;
    }
    return static_cast<double>(wrong) / runs;
}

TEST(Looks, AreNotMoreOftenWrongThanOneMayBe) {
    EXPECT_LE(share_wrong(true), 0.05);
    EXPECT_GT(share_wrong(false), 0.05) << "as if each were the only one";
}

// What the verdict will count, among which the looks' errors are shared: of five subjects 528 know
// an upper bound, of two 437.
TEST(Looks, CountTheDriftsThatAreKnownAtTheEndOnly) {
    auto samples = straddling(24, 0, "p99");
    samples.limits.push_back(
        parse_acceptance(
            "[[limit]]\nquantity = 'clock drift'\nstatistic = 'median'\nlimit = 20\nunit = 'ppm'",
            "limits")
            .front());
    for (const double rank : {2.0, 3.0}) samples.places.push_back({rank, rank, "cn2", -1});
    for (const double rank : {1.0, 2.0, 3.0}) {
        samples.clocks.push_back({rank, 0.0, 1.7e9, 1e-6, 1e-5});
    }
    EXPECT_EQ(wanted(samples), 528 - 24);
}

// Traffic has a share of the budget: 33 samples instead of 13 need as many times the whole.
TEST(Looks, AtTrafficNeedAsManyTimesTheBudget) {
    InterconnectMeasurement measured;
    measured.tests_s = 10.0;
    measured.parts = {{during_pairs, 8.0}, {during_traffic, 2.0}};
    auto row = undecided(13, 20);
    row.quantity = "traffic over prediction";
    EXPECT_DOUBLE_EQ(budget_to_decide_s(measured, std::vector{row}), 1.3 * 10.0 * 33.0 / 13.0);
}

// 6 s of passes over pairs for 24 samples; 36 take 9, beside the 4 s of the other tests; 1.3 times.
TEST(Looks, ThatNeedALargerBudgetSayWhich) {
    InterconnectMeasurement measured;
    measured.tests_s = 10.0;
    measured.parts = {{during_pairs, 6.0}, {during_loads, 1.0}, {during_ranks, 3.0}};
    EXPECT_DOUBLE_EQ(budget_to_decide_s(measured, std::vector{undecided(24, 12)}), 1.3 * 13.0);
    EXPECT_DOUBLE_EQ(
        budget_to_decide_s(measured, std::vector{undecided(24, 12), undecided(24, 24)}),
        1.3 * 16.0);
    EXPECT_EQ(budget_to_decide_s(measured, std::vector{undecided(24, 0)}), 0.0) << "decided";
    EXPECT_EQ(budget_to_decide_s(measured, std::vector{undecided(24, 2000)}), 0.0) << "never";
    EXPECT_EQ(budget_to_decide_s(measured, {}), 0.0);
}

}  // namespace
}  // namespace shardstone::validation
