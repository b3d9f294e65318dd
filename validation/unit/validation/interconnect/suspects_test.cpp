// SPDX-License-Identifier: BSD-3-Clause
// Faults are named from the times of all pairs, with their size and honest odds.
#include "validation/interconnect/suspects.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "validation/interconnect/scores.hpp"
#include "validation/unit/validation/interconnect/simulated_faults.hpp"

namespace shardstone::validation {

namespace {

Suspicion suspicion_of(const SimulatedCluster& cluster) {
    return find_suspects(cluster.places(), cluster.run_round_robin(repetitions_of_small));
}

std::string named(const std::vector<InjectedFault>& faults) {
    const auto cluster = small_cluster(faults);
    return names_of(suspicion_of(cluster), cluster.places());
}

}  // namespace

TEST(Suspects, EachCulpritIsNamed) {
    const std::vector<Component> components{
        {.culprit = Culprit::node, .node = 5},
        {.culprit = Culprit::nic, .node = 5, .rail = 1},
        {.culprit = Culprit::cable_out, .node = 5, .rail = 1},
        {.culprit = Culprit::cable_in, .node = 5, .rail = 1},
        {.culprit = Culprit::port, .leaf = 3, .uplink = 1},
        {.culprit = Culprit::port_up, .leaf = 3, .uplink = 1},
        {.culprit = Culprit::port_down, .leaf = 3, .uplink = 0},
    };
    for (const auto& component : components) {
        const auto places = small_cluster({}).places();
        EXPECT_EQ(named({{component, 0.85}}), name_of(component, places));
    }
}

TEST(Suspects, AHealthyClusterHasNone) {
    EXPECT_EQ(named({}), "");
}

TEST(Suspects, TheOtherDirectionIsAnotherCulprit) {
    const auto cluster =
        small_cluster({{{.culprit = Culprit::cable_out, .node = 5, .rail = 1}, 0.85}});
    auto times = cluster.run_round_robin(repetitions_of_small);
    for (auto& time : times) std::swap(time.test.sender, time.test.receiver);
    EXPECT_EQ(names_of(find_suspects(cluster.places(), times), cluster.places()),
              "cable of NIC 1 of node 5, incoming");
}

TEST(Suspects, SeveralFaultsAreNamedOneByOne) {
    // The cable is on the leaf whose port is bad, and some of its tests cross both.
    EXPECT_EQ(named({{{.culprit = Culprit::cable_in, .node = 9, .rail = 1}, 0.5},
                     {{.culprit = Culprit::port_down, .leaf = 3, .uplink = 1}, 0.8},
                     {{.culprit = Culprit::nic, .node = 2, .rail = 0}, 0.7}}),
              "NIC 0 of node 2; cable of NIC 1 of node 9, incoming; port 1 of leaf 3, downwards");
}

TEST(Suspects, TheSlowdownIsThatOfTheFault) {
    const auto cluster = small_cluster({{{.culprit = Culprit::nic, .node = 5, .rail = 1}, 0.8}});
    const auto suspicion = suspicion_of(cluster);
    ASSERT_EQ(suspicion.suspects.size(), 1U);
    const auto& suspect = suspicion.suspects[0];
    EXPECT_LE(suspect.slowdown_interval.low, 0.25);
    EXPECT_GE(suspect.slowdown_interval.high, 0.25);
    // 34 tests with a noise of about 1.2 % each, of which a median has 1.25 times the error of a
    // mean.
    EXPECT_LT(suspect.slowdown_interval.high - suspect.slowdown_interval.low, 0.03);
    EXPECT_EQ(suspect.tests, 34);
    EXPECT_GT(suspect.log10_odds, 3.0);
    // Without loopback, a cable that is bad both ways would do the same: 0.2 to 0.05 a priori.
    EXPECT_NEAR(suspect.probability, 0.8, 0.01);
    ASSERT_FALSE(suspect.rivals.empty());
    EXPECT_EQ(suspect.rivals[0].component.culprit, Culprit::cable);
    EXPECT_GT(suspicion.noise, 0.008);
    EXPECT_LT(suspicion.noise, 0.016);
}

TEST(Suspects, LoopbackTellsNicFromCable) {
    const Component nic{.culprit = Culprit::nic, .node = 5, .rail = 1};
    const Component cable{.culprit = Culprit::cable, .node = 5, .rail = 1};
    for (const auto& component : {nic, cable}) {
        const auto cluster = small_cluster({{component, 0.8}});
        auto times = cluster.run_round_robin(repetitions_of_small);
        for (int place = 0; place < 36; ++place) {
            times.push_back(
                cluster.run({.sender = place, .receiver = place, .alone = true, .loopback = true},
                            100 + place, repetitions_of_small));
        }
        const auto suspicion = find_suspects(cluster.places(), times);
        ASSERT_EQ(suspicion.suspects.size(), 1U);
        EXPECT_EQ(suspicion.suspects[0].component, component);
        EXPECT_GT(suspicion.suspects[0].probability, 0.999);
    }
}

TEST(Suspects, LatencyIsJudgedInTheSameWay) {
    const auto cluster =
        small_cluster({{{.culprit = Culprit::cable_out, .node = 3, .rail = 0}, 0.8}});
    auto times = cluster.run_round_robin(repetitions_of_small);
    for (auto& time : times) {
        time.size_bytes = 8;
        for (double& time_s : time.times_s) time_s *= 1e-3;
    }
    EXPECT_EQ(names_of(find_suspects(cluster.places(), times), cluster.places()),
              "cable of NIC 0 of node 3, outgoing");
    times[0].size_bytes = 16;
    EXPECT_THROW(find_suspects(cluster.places(), times), Error);
}

TEST(Suspects, TwoNodesHaveNothingToCompareWith) {
    const std::vector<Place> places{{.node = 0}, {.node = 1}};
    const std::vector<PairTime> times{
        {.test = {.sender = 0, .receiver = 1}, .times_s = {1.0, 1.1}},
        {.test = {.sender = 1, .receiver = 0}, .times_s = {9.0, 9.1}}};
    const auto suspicion = find_suspects(places, times);
    EXPECT_TRUE(suspicion.suspects.empty());
    EXPECT_EQ(suspicion.incomparable, 2);
    EXPECT_EQ(suspicion.tests, 0);
}

TEST(Suspects, ABayesFactorHasTheMeanOneIfNothingIsWrong) {
    // Of which the bound on false alarms makes use. The integral over the density of Student's t
    // with 5 degrees, Gamma(3) / (Gamma(5/2) sqrt(5 pi)) (1 + x^2 / 5)^-3, to 400: beyond, less
    // than 1e-3.
    const double scale = std::tgamma(3.0) / (std::tgamma(2.5) * std::sqrt(5.0 * M_PI));
    double sum = 0.0;
    const double step = 1e-3;
    for (double x = 0.5 * step; x < 400.0; x += step) {
        sum += std::exp(log_bayes_factor(x, 1.0, 5.0, 10.0)) * scale *
               std::pow(1.0 + x * x / 5.0, -3) * step;
    }
    EXPECT_NEAR(sum, 1.0, 2e-3);
    EXPECT_TRUE(std::isinf(log_bayes_factor(-1.0, 1.0, 5.0, 10.0)));
}

TEST(Suspects, TheAlarmObeysItsProbability) {
    // With no fault, more willing settings suspect more; at 0.1 %, none of 300 clusters.
    int willing = 0, usual = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SimulatedCluster cluster({.nodes = 6, .rails = 1, .nodes_per_leaf = 6, .uplinks = 1},
                                 {.nic_deviation = 0.02}, seed);
        const auto times = cluster.run_round_robin(3);
        SuspicionSettings settings;
        usual += find_suspects(cluster.places(), times, settings).suspects.empty() ? 0 : 1;
        settings.false_alarms = 0.9;
        willing += find_suspects(cluster.places(), times, settings).suspects.empty() ? 0 : 1;
    }
    EXPECT_EQ(usual, 0);
    EXPECT_GT(willing, 3);
}

TEST(Suspects, ARepeatedTimeIsNoNewEvidence) {
    const Component pair{.culprit = Culprit::pair, .sender = 4, .receiver = 20};
    const auto cluster = small_cluster({{pair, 0.5}});
    auto times = cluster.run_round_robin(repetitions_of_small);
    const auto once = find_suspects(cluster.places(), times);
    ASSERT_TRUE(once.lead);
    const auto again = std::ranges::find_if(times, [](const PairTime& time) {
        return time.test.sender == 4 && time.test.receiver == 20;
    });
    times.push_back(PairTime(*again));
    const auto twice = find_suspects(cluster.places(), times);
    ASSERT_TRUE(twice.lead);
    EXPECT_NEAR(twice.lead->log10_odds, once.lead->log10_odds, 0.2);
}

}  // namespace shardstone::validation
