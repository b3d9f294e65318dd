// SPDX-License-Identifier: BSD-3-Clause
// Which samples are beyond what their distribution allows, and whom a standstill names: made-up
// series with many seeds.
#include "benchmarks/harness/outliers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace shardstone::benchmarks {
namespace {

using Draw = std::function<double(std::mt19937_64&)>;

/// Series of a sweep's lengths with at least one sample beyond, among so many.
int alarms(const Draw& draw, double ranks_per_core, int series) {
    int found = 0;
    for (int seed = 0; seed < series; ++seed) {
        std::mt19937_64 random(static_cast<std::uint64_t>(seed));
        std::vector<double> samples_s(seed % 2 == 0 ? 10 : 200);
        for (double& sample_s : samples_s) sample_s = draw(random);
        found += outliers_of(samples_s, {}, std::vector{2}, ranks_per_core).empty() ? 0 : 1;
    }
    return found;
}

double uniform(std::mt19937_64& random) {
    return std::uniform_real_distribution<double>(1e-12, 1.0)(random);
}

constexpr int many = 10000;

TEST(Outliers, TailsOfQuietRunsRaiseNoAlarm) {
    const std::vector<std::pair<const char*, Draw>> quiet{
        {"exponential, microseconds", [](auto& r) { return 2e-6 - 5e-6 * std::log(uniform(r)); }},
        {"exponential, a second", [](auto& r) { return 0.5 - 0.3 * std::log(uniform(r)); }},
        {"normal, half a second",
         [](auto& r) { return std::abs(std::normal_distribution<double>(0.5, 0.1)(r)); }},
        {"log-normal", [](auto& r) { return std::lognormal_distribution<double>(-7.0, 0.5)(r); }},
        {"a slice of 4 ms in one of fifty, up to four of them",
         [](auto& r) { return 1e-6 + (uniform(r) < 0.02 ? 4e-3 * std::ceil(4 * uniform(r)) : 0); }},
        {"two ways, 1 us and 30 ms", [](auto& r) { return uniform(r) < 0.9 ? 1e-6 : 0.03; }}};
    for (const auto& [name, draw] : quiet) EXPECT_EQ(alarms(draw, 1.0, many), 0) << name;
}

TEST(Outliers, MoreRanksPerCoreTakeMoreTurns) {
    const Draw turns = [](auto& r) { return 1e-3 + (uniform(r) < 0.02 ? 0.15 * uniform(r) : 0.0); };
    EXPECT_EQ(alarms(turns, 4.0, many), 0);
    EXPECT_GT(alarms(turns, 1.0, many), many / 2);
}

/// Samples of 10 us, one of them stalled.
std::vector<double> stalled_series(std::size_t at, double stall_s) {
    std::mt19937_64 random(at);
    std::vector<double> samples_s(50);
    for (double& sample_s : samples_s) sample_s = 1e-5 - 1e-6 * std::log(uniform(random));
    samples_s[at] += stall_s;
    return samples_s;
}

TEST(Outliers, AStallOfFiftyMillisecondsIsAlwaysFound) {
    for (std::size_t at = 0; at < 50; ++at) {
        const auto samples_s = stalled_series(at, 0.05);
        const auto found = outliers_of(samples_s, {}, std::vector{2}, 1.0);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].occasion, (Occasion{static_cast<std::int64_t>(at), true}));
        EXPECT_EQ(found[0].rank, Outlier::nobody);
        EXPECT_EQ(found[0].node, -1);
        EXPECT_EQ(found[0].time_s, samples_s[at]);
        EXPECT_NEAR(found[0].usual_s, 1.07e-5, 5e-7);
    }
}

TEST(Outliers, FewSamplesHaveNoDistribution) {
    EXPECT_TRUE(outliers_of(std::vector{1e-5, 1e-5, 10.0}, {}, std::vector{2}, 1.0).empty());
    EXPECT_TRUE(outliers_of({}, {}, std::vector{2}, 1.0).empty());
}

Standstill stood(double begin_s, double still_s) {
    return {begin_s, begin_s + still_s + 0.01, still_s, 0.0, 0.0, 0.0, 0.0};
}

TEST(Outliers, AStandstillIsNamedWhateverItsSample) {
    const RankStandstill of_one{1, 0, {3, true}, stood(5.0, 0.08)};
    for (const double sample_s : {0.09, 1e-5}) {
        auto samples_s = stalled_series(3, 0.0);
        samples_s[3] = sample_s;
        const auto found = outliers_of(samples_s, {of_one}, std::vector{2}, 1.0);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].rank, 1);
        EXPECT_EQ(found[0].node, 0);
        EXPECT_EQ(found[0].time_s, sample_s);
        EXPECT_EQ(found[0].standstill.still_s, 0.08);
    }
}

TEST(Outliers, OneBeforeAnIterationExplainsItsSample) {
    const RankStandstill before{1, 0, {3, false}, stood(5.0, 0.08)};
    const auto found = outliers_of(stalled_series(3, 0.08), {before}, std::vector{2}, 1.0);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rank, 1);
    EXPECT_FALSE(found[0].occasion.timed);
}

TEST(Outliers, OutsideOfTheSeriesThereIsNoSample) {
    const auto found = outliers_of({}, {{1, 0, {}, stood(5.0, 0.08)}}, std::vector{2}, 1.0);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(std::isnan(found[0].time_s));
    EXPECT_TRUE(std::isnan(found[0].usual_s));
}

TEST(Outliers, AWholeNodeAtOnceIsTheMachine) {
    const auto samples_s = stalled_series(3, 0.08);
    const std::vector<RankStandstill> both{{0, 0, {3, true}, stood(5.001, 0.07)},
                                           {1, 0, {3, true}, stood(5.0, 0.08)}};
    const auto found = outliers_of(samples_s, both, std::vector{2, 1}, 1.0);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].whole_node());
    EXPECT_EQ(found[0].node, 0);
    EXPECT_EQ(found[0].standstill.still_s, 0.08);
    // Where a third rank of the node ran on, the two are named; and so they are at other times.
    EXPECT_EQ(outliers_of(samples_s, both, std::vector{3, 1}, 1.0).size(), 2U);
    auto apart = both;
    apart[0].seen = stood(7.0, 0.08);
    for (const Outlier& one : outliers_of(samples_s, apart, std::vector{2, 1}, 1.0)) {
        EXPECT_FALSE(one.whole_node());
    }
    // On another node its clock says nothing of this one's, and one rank is not more than itself.
    const std::vector<RankStandstill> alone{{2, 1, {3, true}, stood(5.0, 0.08)}};
    EXPECT_EQ(outliers_of(samples_s, alone, std::vector{2, 1}, 1.0).front().rank, 2);
}

TEST(Outliers, WhatTheHypervisorTookNamesNoRank) {
    RankStandstill held_up{1, 0, {3, true}, stood(5.0, 0.08)};
    held_up.seen.stolen_s = 0.05;
    auto found = outliers_of(stalled_series(3, 0.08), {held_up}, std::vector{2}, 1.0);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].whole_node());
    held_up.seen.stolen_s = 0.03;
    found = outliers_of(stalled_series(3, 0.08), {held_up}, std::vector{2}, 1.0);
    EXPECT_EQ(found.front().rank, 1);
}

TEST(Outliers, AStandstillIsWhereTheLongestPartOfItWas) {
    // Iterations of 1 ms with 1 ms between them, from 1 s on; the third lasts 61 ms.
    std::vector<double> begin_s, end_s;
    for (int i = 0; i < 10; ++i) {
        const double late_s = i > 2 ? 0.06 : 0.0;
        begin_s.push_back(1.0 + 0.002 * i + late_s);
        end_s.push_back(1.001 + 0.002 * i + (i >= 2 ? 0.06 : 0.0));
    }
    const auto at = [&](double from_s, double to_s) {
        return occasion_of({from_s, to_s, 0.05, 0.0, 0.0, 0.0, 0.0}, begin_s, end_s);
    };
    EXPECT_EQ(at(0.999, 1.07), (Occasion{2, true}));
    EXPECT_EQ(at(0.9, 1.003), (Occasion{-1, false}));
    EXPECT_EQ(at(1.075, 1.2), (Occasion{-1, false}));
    EXPECT_EQ(occasion_of({1.0, 2.0, 0.5, 0.0, 0.0, 0.0, 0.0}, {}, {}), (Occasion{-1, false}));
    begin_s[6] += 0.1;
    for (std::size_t i = 6; i < 10; ++i) end_s[i] += 0.1;
    for (std::size_t i = 7; i < 10; ++i) begin_s[i] += 0.1;
    EXPECT_EQ(at(1.07, 1.18), (Occasion{6, false}));
}

}  // namespace
}  // namespace shardstone::benchmarks
