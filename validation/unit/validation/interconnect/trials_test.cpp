// SPDX-License-Identifier: BSD-3-Clause
// Trials count what they should, the inference passes a short one, and a broken one would not.
#include "validation/interconnect/trials.hpp"

#include <gtest/gtest.h>

#include <array>

#include "validation/unit/validation/interconnect/simulated_faults.hpp"

namespace shardstone::validation {

namespace {

TrialSettings small_settings() {
    return {.shape = small_shape, .repetitions = repetitions_of_small};
}

constexpr std::array faults{FaultsOfKind{Culprit::nic, 1, 0.85},
                            FaultsOfKind{Culprit::cable_out, 1, 0.85},
                            FaultsOfKind{Culprit::port_up, 1, 0.85}};

}  // namespace

TEST(Trials, FaultsAreNamed) {
    const auto counts = run_trials(faults, small_settings(), 0, 20);
    EXPECT_EQ(counts.trials, 20);
    EXPECT_EQ(counts.faults, 60);
    EXPECT_GE(counts.localised, 57);
    EXPECT_GE(counts.detected, counts.localised);
    EXPECT_GE(counts.all_right, 17);
    EXPECT_EQ(counts.false_alarms, 0);
    EXPECT_GT(counts.further_tests, 0);
}

TEST(Trials, HealthyClustersRaiseNoAlarm) {
    const auto counts = run_trials({}, small_settings(), 0, 50);
    EXPECT_EQ(counts.all_right, 50);
    EXPECT_EQ(counts.false_alarms, 0);
    EXPECT_EQ(counts.faults, 0);
}

TEST(Trials, AnInferenceThatSuspectsNothingOrTooMuchIsSeen) {
    auto settings = small_settings();
    settings.suspicion.most_suspects = 0;
    const auto blind = run_trials(faults, settings, 0, 2);
    EXPECT_EQ(blind.detected, 0);
    EXPECT_EQ(blind.all_right, 0);
    settings = small_settings();
    settings.suspicion.false_alarms = 0.999;
    settings.suspicion.least_slowdown = 0.0;
    settings.noise.nic_deviation = 0.02;
    EXPECT_GT(run_trials({}, settings, 0, 50).false_alarms, 0);
}

TEST(Trials, WithoutLoopbackACableIsMistakenForANic) {
    constexpr std::array one{FaultsOfKind{Culprit::nic_out, 1, 0.85}};
    auto settings = small_settings();
    EXPECT_EQ(run_trials(one, settings, 0, 5).localised, 5);
    settings.next.loopback = false;
    const auto counts = run_trials(one, settings, 0, 5);
    EXPECT_EQ(counts.detected, 5);
    EXPECT_EQ(counts.localised, 0);
    EXPECT_EQ(counts.undecided, 5);
    EXPECT_EQ(counts.false_alarms, 0);
}

TEST(Trials, AreReproducibleAndCanBeSplit) {
    const auto settings = small_settings();
    const auto whole = run_trials(faults, settings, 0, 4);
    const auto parts = run_trials(faults, settings, 0, 1) + run_trials(faults, settings, 1, 3);
    EXPECT_EQ(whole.trials, parts.trials);
    EXPECT_EQ(whole.localised, parts.localised);
    EXPECT_EQ(whole.further_tests, parts.further_tests);
}

TEST(Trials, OnePlaceIsWhereARepairBegins) {
    const Component node{.culprit = Culprit::node, .node = 3};
    const Component nic{.culprit = Culprit::nic, .node = 3, .rail = 1};
    const Component cable{.culprit = Culprit::cable_in, .node = 3, .rail = 1};
    const Component other{.culprit = Culprit::cable_in, .node = 3, .rail = 0};
    const Component up{.culprit = Culprit::port_up, .leaf = 3, .uplink = 1};
    const Component down{.culprit = Culprit::port_down, .leaf = 3, .uplink = 1};
    const Component pair{.culprit = Culprit::pair, .sender = 3, .receiver = 1};
    EXPECT_TRUE(at_one_place(node, cable));
    EXPECT_TRUE(at_one_place(nic, cable));
    EXPECT_FALSE(at_one_place(nic, other));
    EXPECT_TRUE(at_one_place(up, down));
    EXPECT_FALSE(at_one_place(up, nic));
    EXPECT_TRUE(at_one_place(pair, pair));
    EXPECT_FALSE(at_one_place(pair, node));
}

}  // namespace shardstone::validation
