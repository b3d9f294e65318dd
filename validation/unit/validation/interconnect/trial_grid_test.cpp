// SPDX-License-Identifier: BSD-3-Clause
// The self-test's grid, its independence of the ranks, shares by hand, and noise as it was planted.
#include "validation/interconnect/trial_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

SelfTestOptions small_options() {
    SelfTestOptions options;
    options.shape = {.nodes = 8, .rails = 1, .nodes_per_leaf = 4, .uplinks = 1};
    options.faults = {Culprit::nic_out, Culprit::node};
    options.rates = {0.99, 0.7};
    options.repetitions = {1, 5};
    options.trials = 30;
    return options;
}

std::vector<results::TrialRow> trials_of(
    const collectives::Communicator& ranks, std::size_t first = 0,
    const std::function<bool()>& stops = [] { return false; }) {
    std::vector<results::TrialRow> rows;
    run_self_test(ranks, small_options(), first,
                  {.began = [](const std::string&) {},
                   .counted = [&](const results::TrialRow& row) { rows.push_back(row); },
                   .stops = stops});
    return rows;
}

TEST(SelfTest, HasEveryFaultRateAndBudgetWithAllTrials) {
    const auto rows = trials_of(world());
    ASSERT_EQ(rows.size(), 10u);
    EXPECT_EQ(rows.size(), rows_of_self_test(small_options()));
    for (const auto& row : rows) {
        EXPECT_EQ(row.trials, 30.0);
        EXPECT_EQ(row.faults, row.fault == "healthy" ? 0.0 : 30.0);
        EXPECT_LE(row.localised, row.detected);
    }
    EXPECT_EQ(rows[0].fault, "healthy");
    EXPECT_EQ(rows[1].fault, "nic-out");
    EXPECT_EQ(rows[1].rate, 0.99);
    EXPECT_EQ(rows[1].repetitions, 1.0);
    EXPECT_EQ(rows[9].fault, "node");
    EXPECT_EQ(rows[9].repetitions, 5.0);
    EXPECT_GT(rows[9].detected, 25.0) << "a node at 70 % of its rate";
    EXPECT_GT(rows[7].localised, rows[6].localised) << "70 % is seen more often than 99 %";
}

TEST(SelfTest, CountsDoNotDependOnTheNumberOfRanks) {
    const auto all = trials_of(world());
    const auto alone = trials_of(world().split(world().rank()));
    ASSERT_EQ(all.size(), alone.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].detected, alone[i].detected) << i;
        EXPECT_EQ(all[i].localised, alone[i].localised) << i;
        EXPECT_EQ(all[i].false_alarms, alone[i].false_alarms) << i;
        EXPECT_EQ(all[i].further_tests, alone[i].further_tests) << i;
    }
}

/// What is drawn is the seed's: that of run_trials() with the same, and other clusters with
/// another.
TEST(SelfTest, TrialsAreThoseOfTheSeed) {
    auto options = small_options();
    options.healthy = false;
    options.faults = {Culprit::nic_out};
    options.rates = {0.97};
    options.repetitions = {2};
    std::vector<double> further;
    for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{77}}) {
        options.seed = seed;
        TrialSettings settings;
        settings.shape = options.shape;
        settings.noise = options.noise;
        settings.repetitions = 2;
        settings.seed = seed;
        const auto expected =
            run_trials(std::vector{FaultsOfKind{Culprit::nic_out, 1, 0.97}}, settings, 0, 30);
        std::vector<results::TrialRow> rows;
        run_self_test(world(), options, 0,
                      {.began = [](const std::string&) {},
                       .counted = [&](const results::TrialRow& row) { rows.push_back(row); },
                       .stops = [] { return false; }});
        ASSERT_EQ(rows.size(), 1U);
        EXPECT_EQ(rows[0].localised, static_cast<double>(expected.localised)) << seed;
        EXPECT_EQ(rows[0].further_tests, static_cast<double>(expected.further_tests)) << seed;
        further.push_back(rows[0].further_tests);
    }
    EXPECT_NE(further[0], further[1]);
    EXPECT_NE(further[0], further[2]);
}

TEST(SelfTest, MessagesOfATestAreThePassesOfAMeasuredRun) {
    EXPECT_EQ(passes_in({}), 0);
    std::vector<results::PairSampleRow> samples;
    for (const double pass : {0.0, 1.0, 2.0, 3.0, 4.0}) {
        for (const double sender : {0.0, 1.0, 2.0}) {
            results::PairSampleRow& row = samples.emplace_back();
            row.sender = sender;
            row.pass = pass;
            row.alone = pass == 4.0 ? 1.0 : 0.0;  // further tests are other messages
        }
    }
    EXPECT_EQ(passes_in(samples), 4);
    EXPECT_EQ(SelfTestOptions{}.repetitions, (std::vector{least_passes, usual_passes}));
}

TEST(SelfTest, AnUnfinishedRowIsLeftOut) {
    int asked = 0;
    const auto rows = trials_of(world(), 0, [&] { return ++asked > 20; });
    EXPECT_LT(rows.size(), 10u);
    for (const auto& row : rows) EXPECT_EQ(row.trials, 30.0);
}

TEST(SelfTest, RowsOfAnEarlierRunAreNotCountedAgain) {
    const auto all = trials_of(world());
    const auto rest = trials_of(world(), 7);
    ASSERT_EQ(rest.size(), 3u);
    for (std::size_t i = 0; i < rest.size(); ++i) {
        EXPECT_EQ(rest[i].fault, all[7 + i].fault);
        EXPECT_EQ(rest[i].rate, all[7 + i].rate);
        EXPECT_EQ(rest[i].repetitions, all[7 + i].repetitions);
        EXPECT_EQ(rest[i].localised, all[7 + i].localised);
    }
    EXPECT_TRUE(trials_of(world(), all.size()).empty());
}

TEST(SelfTest, SharesAreOfFaultsAndFalseAlarmsOfTrials) {
    results::TrialRow counts;
    counts.fault = "nic-out";
    counts.rate = 0.9;
    counts.repetitions = 3;
    counts.trials = 50;
    counts.faults = 100;
    counts.detected = 80;
    counts.localised = 60;
    counts.false_alarms = 5;
    const auto row = detection_rows(std::vector{counts}).at(0);
    EXPECT_EQ(row.detected, 0.8);
    EXPECT_EQ(row.localised, 0.6);
    EXPECT_EQ(row.false_alarms, 0.1);
    EXPECT_LT(row.localised_low, 0.6);
    EXPECT_GT(row.localised_high, 0.6);
    EXPECT_NEAR(row.false_alarms_low, 0.0333, 1e-4);  // Clopper and Pearson, 5 of 50
    EXPECT_NEAR(row.false_alarms_high, 0.2181, 1e-4);
    counts.faults = 0;
    EXPECT_TRUE(std::isnan(detection_rows(std::vector{counts})[0].detected)) << "none to detect";
}

/// Six nodes, whose pairs scatter by 2 %, their messages by 1 %; one in twenty is delayed by half.
TEST(SelfTest, NoiseIsThatOfMeasuredPairs) {
    const RandomStream random(7, "noise");
    std::uint64_t draw = 0;
    std::vector<results::RankPlaceRow> places;
    std::vector<results::PairSampleRow> samples;
    for (int rank = 0; rank < 6; ++rank) {
        places.push_back({static_cast<double>(rank), static_cast<double>(rank), "cn", -1});
    }
    for (int sender = 0; sender < 6; ++sender) {
        for (int receiver = 0; receiver < 6; ++receiver) {
            if (sender == receiver) continue;
            const double usual_s = 1e-3 * std::exp(0.02 * random.normal(draw++));
            for (int pass = 0; pass < 100; ++pass) {
                results::PairSampleRow row;
                row.sender = sender;
                row.receiver = receiver;
                row.alone = 0.0;
                row.pass = pass;
                row.size_bytes = 1 << 20;
                row.time_s =
                    usual_s * std::exp(0.01 * random.normal(draw++)) * (pass % 20 == 7 ? 1.5 : 1.0);
                samples.push_back(row);
            }
        }
    }
    const auto noise = measured_noise(samples, places);
    EXPECT_NEAR(noise.pair_deviation, 0.02, 0.008);
    EXPECT_NEAR(noise.repetition_deviation, 0.01, 0.001);
    EXPECT_NEAR(noise.delay_share, 0.05, 0.002);
    EXPECT_NEAR(noise.mean_delay, 0.5, 0.02);
    for (auto& place : places) place.node = 0.0;
    EXPECT_THROW(measured_noise(samples, places), Error) << "nothing between nodes";
}

TEST(SelfTest, ImpossibleClustersAndRatesAreRefused) {
    EXPECT_THROW(fault_of("gremlin"), Error);
    EXPECT_EQ(fault_of("cable-in"), Culprit::cable_in);
    EXPECT_FALSE(fault_of("healthy"));
    auto options = small_options();
    options.rates = {1.0};
    EXPECT_THROW(require_possible(options), Error);
    options = small_options();
    options.repetitions = {256};
    EXPECT_THROW(require_possible(options), Error);
    options = small_options();
    options.shape.nodes = 2;
    EXPECT_THROW(require_possible(options), Error) << "either may be the bad one";
    options = small_options();
    options.shape.nodes = 1 << 15;
    options.shape.rails = 2;
    EXPECT_THROW(require_possible(options), Error);
}

}  // namespace
}  // namespace shardstone::validation
