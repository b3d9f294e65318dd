// SPDX-License-Identifier: BSD-3-Clause
// Traffic beside its prediction: figures by hand, and when it fails a cluster whose pairs are fine.
#include <gtest/gtest.h>

#include <cmath>

#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/traffic.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {
namespace {

/// A ring and a step, seven times each, of 10 ms and 40 ms by prediction: they take so many times
/// as long, and up to 6 % more.
InterconnectSamples with_traffic(double ring, double step, bool judged = true) {
    InterconnectSamples samples = planted_samples();
    for (int i = 0; i < 7; ++i) {
        const double more = 1.0 + 0.01 * i;
        samples.traffic.push_back({"all_reduce ring", 1 << 20, double(i), 10e-3 * ring * more,
                                   10e-3, judged ? 1.0 : 0.0, 0.0});
        samples.traffic.push_back({"step dp=4", 2e6, double(i), 40e-3 * step * more, 40e-3,
                                   judged ? 1.0 : 0.0, results::not_measured});
    }
    return samples;
}

auto at_most_1_15_times() {
    return parse_acceptance(
        "[[limit]]\nquantity = 'traffic over prediction'\nstatistic = 'median'\nlimit = 1.15\n"
        "unit = 'times'",
        "limits");
}

TEST(Traffic, IsBesideItsPrediction) {
    const auto findings = find_in(with_traffic(1.1, 0.9));
    EXPECT_EQ(findings.verdict, Acceptance::pass);
    ASSERT_EQ(findings.traffic.size(), 2u);
    const auto& ring = findings.traffic[0];
    EXPECT_EQ(ring.traffic, "all_reduce ring");
    EXPECT_EQ(ring.samples, 7.0);
    EXPECT_EQ(ring.predicted_s, 10e-3);
    EXPECT_NEAR(ring.time_s, 10e-3 * 1.1 * 1.03, 1e-9);
    EXPECT_NEAR(ring.over_prediction, 1.1 * 1.03, 1e-9);
    EXPECT_NEAR(ring.over_low, 1.1, 1e-9);
    EXPECT_NEAR(ring.over_high, 1.1 * 1.06, 1e-9);
    EXPECT_EQ(ring.slow, 0.0);
    EXPECT_NEAR(findings.traffic[1].over_prediction, 0.9 * 1.03, 1e-9);
}

TEST(Traffic, ThatIsSlowFailsAClusterWhosePairsAreFine) {
    const auto findings = find_in(with_traffic(1.0, 1.3));
    EXPECT_EQ(findings.verdict, Acceptance::fail);
    EXPECT_TRUE(findings.suspects.empty());
    EXPECT_EQ(findings.traffic.at(1).slow, 1.0);
    ASSERT_EQ(findings.reasons.size(), 1u);
    EXPECT_EQ(
        findings.reasons[0],
        "slow traffic: step dp=4 of 1.907 MiB takes 1.34 times as long as predicted (1.3 to 1.38): "
        "53.6 ms instead of 40.0 ms");
}

// From 1.21 to 1.28 times, and 1.24 to 1.31.
TEST(Traffic, IsUndecidedWhereItsIntervalStraddlesTheLimit) {
    EXPECT_EQ(find_in(with_traffic(1.0, 1.17)).verdict, Acceptance::pass);
    for (const double step : {1.21, 1.24}) {
        const auto undecided = find_in(with_traffic(1.0, step));
        EXPECT_EQ(undecided.verdict, Acceptance::inconclusive);
        const auto& row = undecided.traffic.at(1);
        EXPECT_EQ(row.slow, 0.0);
        EXPECT_GE(row.further, 1.0);
        EXPECT_EQ(undecided.traffic[0].further, 0.0);
        const std::string words =
            "; over 1.25 times or not: " + needed_in_words(row.samples, row.further, 50);
        EXPECT_NE(undecided.reasons.at(0).find(words), std::string::npos) << undecided.reasons[0];
    }
    EXPECT_EQ(find_in(with_traffic(1.0, 1.26)).verdict, Acceptance::fail);
}

TEST(Traffic, OfFiveSamplesIsUndecided) {
    auto few = with_traffic(1.0, 1.0);
    few.traffic.resize(10);
    const auto undecided = find_in(few);
    EXPECT_EQ(undecided.verdict, Acceptance::inconclusive);
    EXPECT_NE(undecided.reasons.at(0).find("(interval unknown: too few samples)"),
              std::string::npos)
        << undecided.reasons[0];
    for (auto& row : few.traffic) row.judged = 0.0;
    EXPECT_EQ(find_in(few).verdict, Acceptance::pass) << "not judged";
    EXPECT_EQ(find_in(few).traffic.at(0).further, 0.0);
}

// Of links that may be 1.2 times as slow as described, 1.4 times the prediction is 1.17 times.
TEST(Traffic, IsUndecidedWithinWhatTheDescriptionMayErr) {
    auto samples = with_traffic(1.0, 1.4);
    for (auto& row : samples.traffic) row.uncertainty = 1.2;
    const auto undecided = find_in(samples);
    EXPECT_EQ(undecided.verdict, Acceptance::inconclusive);
    EXPECT_EQ(undecided.traffic.at(1).slow, 0.0);
    EXPECT_EQ(undecided.traffic[1].prediction_error, 1.2);
    EXPECT_NE(undecided.reasons.at(0).find("may be 1.2 times too short: calibrate for longer "
                                           "(--seconds)"),
              std::string::npos)
        << undecided.reasons[0];
    for (auto& row : samples.traffic) row.uncertainty = 1.1;
    EXPECT_EQ(find_in(samples).verdict, Acceptance::fail);
}

// As of two healthy ranks whose links had been calibrated for a millisecond a size.
TEST(Traffic, IsUndecidedByADescriptionThatOtherTrafficShowsToBeWrong) {
    const auto findings = find_in(with_traffic(0.376, 2.0));
    EXPECT_EQ(findings.verdict, Acceptance::inconclusive);
    EXPECT_NEAR(findings.traffic.at(1).prediction_error, 1.0 / (0.376 * 1.06), 1e-9);
    EXPECT_EQ(find_in(with_traffic(0.7, 2.0)).verdict, Acceptance::fail);
}

TEST(Traffic, OverALimitIsUndecidedWithinWhatTheDescriptionMayErr) {
    auto samples = with_traffic(1.0, 1.2);
    samples.limits = at_most_1_15_times();
    EXPECT_EQ(find_in(samples).acceptance.at(0).verdict, "fail");
    for (auto& row : samples.traffic) row.uncertainty = 1.1;
    EXPECT_EQ(find_in(samples).acceptance.at(0).verdict, "inconclusive");
}

TEST(Traffic, IsNotJudgedByADescriptionThatIsNotOfTheseRanks) {
    const auto findings = find_in(with_traffic(1.0, 3.0, false));
    EXPECT_EQ(findings.verdict, Acceptance::pass);
    EXPECT_NEAR(findings.traffic.at(1).over_prediction, 3.09, 1e-9);
    EXPECT_EQ(findings.traffic[1].slow, 0.0);
    auto alone = with_traffic(1.0, 3.0, false);
    alone.pairs.clear();
    alone.ranks.clear();
    EXPECT_EQ(find_in(alone).verdict, Acceptance::inconclusive) << "nothing else was judged";
}

TEST(Traffic, KeepsNoLimitBesideAPredictionThatIsNotOfTheseRanks) {
    for (const double times : {1.0, 3.0}) {
        auto samples = with_traffic(times, times, false);
        samples.limits = at_most_1_15_times();
        const auto findings = find_in(samples);
        EXPECT_EQ(findings.verdict, Acceptance::inconclusive) << times;
        EXPECT_EQ(findings.acceptance.at(0).subject, "nothing measured");
    }
}

TEST(Traffic, WithWrongResultsFails) {
    auto samples = with_traffic(1.0, 1.0);
    for (auto& row : samples.traffic) {
        if (row.traffic == "all_reduce ring") row.wrong_elements = 12.0;
    }
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::fail);
    EXPECT_EQ(findings.reasons.at(0),
              "wrong data: 12 wrong elements in the result of all_reduce ring");
}

TEST(Traffic, IsLimitedByTheWorst) {
    auto samples = with_traffic(1.05, 1.2);
    samples.limits = at_most_1_15_times();
    const auto findings = find_in(samples);
    EXPECT_EQ(findings.verdict, Acceptance::fail);
    ASSERT_EQ(findings.acceptance.size(), 1u);
    EXPECT_EQ(findings.acceptance[0].subject, "step dp=4");
    EXPECT_NEAR(findings.acceptance[0].value, 1.2 * 1.03, 1e-9);
}

}  // namespace
}  // namespace shardstone::validation
