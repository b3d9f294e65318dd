// SPDX-License-Identifier: BSD-3-Clause
// The further tests are those whose outcome is in doubt, with something to compare them with.
#include "validation/interconnect/next_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "validation/unit/validation/interconnect/simulated_faults.hpp"

namespace shardstone::validation {

namespace {

struct Planned {
    SimulatedCluster cluster;
    std::vector<PairTime> times;
    Suspicion suspicion;
    std::vector<PairTest> tests;
};

Planned planned_for(const Component& component, double rate,
                    const NextTestsSettings& settings = {}) {
    auto cluster = small_cluster({{component, rate}});
    auto times = cluster.run_round_robin(repetitions_of_small);
    auto suspicion = find_suspects(cluster.places(), times);
    auto tests = next_tests(cluster.places(), times, suspicion, settings);
    return {std::move(cluster), std::move(times), std::move(suspicion), std::move(tests)};
}

constexpr Component bad_nic{.culprit = Culprit::nic, .node = 5, .rail = 1};

}  // namespace

TEST(NextTests, NicOrCableIsAskedByLoopback) {
    const auto plan = planned_for(bad_nic, 0.8);
    const PairTest asked{.sender = 11, .receiver = 11, .alone = true, .loopback = true};
    EXPECT_EQ(std::ranges::count(plan.tests, asked), 3);
    // The rest are loopbacks of healthy NICs.
    EXPECT_EQ(plan.tests.size(), 8U);
    EXPECT_TRUE(std::ranges::all_of(plan.tests, &PairTest::loopback));
    EXPECT_TRUE(std::ranges::all_of(plan.tests, &PairTest::alone));
}

TEST(NextTests, WhatIsDecidedIsNotAsked) {
    const Component port{.culprit = Culprit::port_up, .leaf = 3, .uplink = 1};
    const auto plan = planned_for(port, 0.8);
    ASSERT_EQ(plan.suspicion.suspects.size(), 1U);
    EXPECT_GT(plan.suspicion.suspects[0].probability, 0.99);
    EXPECT_TRUE(plan.tests.empty());
    EXPECT_TRUE(planned_for(bad_nic, 0.8, {.decided = 0.7}).tests.empty());
}

TEST(NextTests, ImpossibleTestsAndBudgetsAreRespected) {
    EXPECT_TRUE(planned_for(bad_nic, 0.8, {.loopback = false}).tests.empty());
    EXPECT_EQ(planned_for(bad_nic, 0.8, {.most_tests = 4}).tests.size(), 4U);
}

TEST(NextTests, ALeadIsFollowed) {
    // One pair at half its rate is below what one test can convince of.
    const Component pair{.culprit = Culprit::pair, .sender = 4, .receiver = 20};
    auto plan = planned_for(pair, 0.5);
    EXPECT_TRUE(plan.suspicion.suspects.empty());
    ASSERT_TRUE(plan.suspicion.lead);
    EXPECT_EQ(plan.suspicion.lead->component, pair);
    const PairTest asked{.sender = 4, .receiver = 20, .alone = true};
    EXPECT_EQ(std::ranges::count(plan.tests, asked), 3);
    int round = 1000;
    for (const auto& test : plan.tests) {
        plan.times.push_back(plan.cluster.run(test, round++, repetitions_of_small));
    }
    const auto after = find_suspects(plan.cluster.places(), plan.times);
    EXPECT_EQ(names_of(after, plan.cluster.places()),
              "the pair from NIC 0 of node 2 to NIC 0 of node 10");
}

}  // namespace shardstone::validation
