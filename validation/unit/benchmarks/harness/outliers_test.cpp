// SPDX-License-Identifier: BSD-3-Clause
// Which samples are beyond what their distribution allows, and whom a standstill names: made-up
// series with many seeds.
#include "benchmarks/harness/outliers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/standstill_numbers.hpp"

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

/// Whether a sample of `one_s` among the others is one.
bool is_outlier(std::vector<double> others_s, double one_s, double ranks_per_core) {
    others_s.push_back(one_s);
    const auto found = outliers_of(others_s, {}, std::vector{2}, ranks_per_core);
    return found.size() == 1 && found[0].time_s == one_s;
}

// median + max(3 median, 40 (Q3 - median), 40 ms per rank that shares a core), each the largest
// once.
TEST(Outliers, EachOfTheThreeTermsDecides) {
    const std::vector<double> slow_s(40, 0.5);  // 2 s
    EXPECT_TRUE(is_outlier(slow_s, 2.5, 1.0));
    EXPECT_TRUE(is_outlier(slow_s, 2.01, 1.0));
    EXPECT_FALSE(is_outlier(slow_s, 1.99, 1.0));

    std::vector<double> spread_s(20, 0.010);  // 10 ms + 40 times 2 ms
    spread_s.insert(spread_s.end(), 10, 0.008);
    spread_s.insert(spread_s.end(), 10, 0.012);
    EXPECT_TRUE(is_outlier(spread_s, 0.091, 1.0));
    EXPECT_FALSE(is_outlier(spread_s, 0.089, 1.0));

    const std::vector<double> fast_s(40, 1e-6);
    EXPECT_TRUE(is_outlier(fast_s, 0.041, 1.0));
    EXPECT_FALSE(is_outlier(fast_s, 0.039, 1.0));
    EXPECT_FALSE(is_outlier(fast_s, 0.039, 0.5));
    EXPECT_TRUE(is_outlier(fast_s, 0.121, 3.0));
    EXPECT_FALSE(is_outlier(fast_s, 0.119, 3.0));
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
    // One event holds up ranks of which one is an iteration further: it is told once, as it was for
    // the rank whom it held up longest.
    auto one_further = both;
    one_further[0].occasion = {4, false};
    const auto once = outliers_of(samples_s, one_further, std::vector{2, 1}, 1.0);
    ASSERT_EQ(once.size(), 1U);
    EXPECT_EQ(once[0].occasion, (Occasion{3, true}));
    EXPECT_EQ(once[0].time_s, found[0].time_s);
    // Where a third rank of the node ran on, the two are named; and so they are at other times. It
    // did not where the node has two cores only.
    EXPECT_EQ(outliers_of(samples_s, both, std::vector{3, 1}, 1.0).size(), 2U);
    EXPECT_EQ(outliers_of(samples_s, both, std::vector{3, 1}, 1.5).size(), 1U);
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

// Every figure another, so that each can only be in its own place.
constexpr Standstill all_different{11.0, 12.5, 0.75, 0.125, 3.0, 5.0, 0.0625};

TEST(Standstill, IsTheSameAfterItTravelled) {
    for (const bool timed : {true, false}) {
        const RankStandstill got = standstill_of(numbers_of(all_different, {7, timed}), 2, 1);
        EXPECT_EQ(got.rank, 2);
        EXPECT_EQ(got.node, 1);
        EXPECT_EQ(got.occasion, (Occasion{7, timed}));
        EXPECT_EQ(got.seen.begin_s, 11.0);
        EXPECT_EQ(got.seen.end_s, 12.5);
        EXPECT_EQ(got.seen.still_s, 0.75);
        EXPECT_EQ(got.seen.waited_s, 0.125);
        EXPECT_EQ(got.seen.switches, 3.0);
        EXPECT_EQ(got.seen.faults, 5.0);
        EXPECT_EQ(got.seen.stolen_s, 0.0625);
    }
}

TEST(StallTables, HaveEveryFigureInItsColumn) {
    Stall stall;
    stall.outlier = {{7, true}, 2, 1, 1.5, 0.25, all_different};
    stall.attempt = 4;
    stall.at_s = 9.5;
    stall.place = "rank 2 on node 1";
    stall.machine = "words";
    const auto table = results::table_of(outlier_rows({stall}));
    const auto row = results::OutlierRow::schema.rows(table, results::format_version).at(0);
    EXPECT_EQ(row.attempt, 4.0);
    EXPECT_EQ(row.kept, 1.0);
    EXPECT_EQ(row.excused, 0.0);
    EXPECT_EQ(row.timed, 1.0);
    EXPECT_EQ(row.rank, 2.0);
    EXPECT_EQ(row.node, 1.0);
    EXPECT_EQ(row.place, "rank 2 on node 1");
    EXPECT_EQ(row.at_s, 9.5);
    EXPECT_EQ(row.time_s, 1.5);
    EXPECT_EQ(row.usual_s, 0.25);
    EXPECT_EQ(row.times_as_large, 6.0);
    EXPECT_EQ(row.still_s, 0.75);
    EXPECT_EQ(row.waited_s, 0.125);
    EXPECT_EQ(row.switches, 3.0);
    EXPECT_EQ(row.faults, 5.0);
    EXPECT_EQ(row.stolen_s, 0.0625);
    EXPECT_EQ(row.machine, "words");
}

TEST(StallTables, HaveEveryRanksTimesInTheirColumns) {
    const auto table = rank_times_table({{3, 1, 0.5, 1.25, 0.125}});
    const auto row = results::RankTimesRow::schema.rows(table, results::format_version).at(0);
    EXPECT_EQ(row.rank, 3.0);
    EXPECT_EQ(row.node, 1.0);
    EXPECT_EQ(row.own_s, 0.5);
    EXPECT_EQ(row.factor, 1.25);
    EXPECT_EQ(row.late_s, 0.125);
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
