// SPDX-License-Identifier: BSD-3-Clause
// The event engine against closed forms on described clusters, where these are exact; and planted
// bugs, which the same comparison sees.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "benchmarks/collectives/simulation/simulation.hpp"
#include "collectives/operation/algorithm.hpp"
#include "validation/oracle/collective_costs.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;
using namespace oracle;

constexpr double size_bytes = 1 << 26;

/// Powers of two throughout: every sum of the closed forms is of a few hundred terms.
ClusterDescription cluster(int nodes, int ranks_per_node) {
    ClusterDescription described;
    described.name = "test";
    described.nodes = nodes;
    described.ranks_per_node = ranks_per_node;
    described.intra_node.alpha_s = 3e-6;
    described.intra_node.bandwidth_gb_s = 320.0;
    described.inter_node.alpha_s = 5e-6;
    described.inter_node.bandwidth_gb_s = 50.0;
    described.reduction.rate_gb_s = 900.0;
    return described;
}

double simulated_s(const char* algorithm, const ClusterDescription& described) {
    benchmarks::SimulationPlan plan;
    plan.cluster = described;
    return benchmarks::simulate_point(plan, collectives::find_algorithm("all_reduce", algorithm),
                                      described.ranks(), static_cast<std::int64_t>(size_bytes))
        .simulated.time_s;
}

/// The links of a hypercube over all ranks. `sharers` ranks share what a message between nodes
/// gets of a NIC, `leaf_sharers` what it gets of a leaf's uplinks beyond `nodes_per_leaf` nodes.
HypercubeLinks hypercube(const ClusterDescription& described, double sharers = 1.0,
                         int nodes_per_leaf = 1 << 20, double leaf_sharers = 1.0) {
    const CostParameters costs = costs_of(described);
    HypercubeLinks links;
    for (int apart = 1; apart < described.ranks(); apart *= 2) {
        LinkCost link = apart < described.ranks_per_node ? costs.intra_node : costs.inter_node;
        if (apart >= described.ranks_per_node) link.beta_s_per_byte *= sharers;
        if (apart >= described.ranks_per_node * nodes_per_leaf) {
            link.beta_s_per_byte *= leaf_sharers;
            link.alpha_s += described.fat_tree->spine_alpha_s;
        }
        links.push_back(link);
    }
    return links;
}

/// Within roundoff: a relative 1e-9 is millions of units, and far below the 0.1 %.
void expect_equal(double value, double closed_form) {
    EXPECT_NEAR(value, closed_form, 1e-9 * closed_form);
}

bool within_a_thousandth(double value, double closed_form) {
    return std::abs(value / closed_form - 1.0) <= 1e-3;
}

struct Shape {
    int nodes, ranks_per_node;
};

class ClosedForms : public testing::TestWithParam<Shape> {
  protected:
    ClusterDescription described_ = cluster(GetParam().nodes, GetParam().ranks_per_node);
    double gamma_ = costs_of(described_).gamma_s_per_byte;
};

TEST_P(ClosedForms, RecursiveDoubling) {
    expect_equal(simulated_s("recursive_doubling", described_),
                 recursive_doubling_cost_s(hypercube(described_), size_bytes, gamma_));
}

TEST_P(ClosedForms, Rabenseifner) {
    expect_equal(simulated_s("rabenseifner", described_),
                 rabenseifner_cost_s(hypercube(described_), size_bytes, gamma_));
}

TEST_P(ClosedForms, BinomialTree) {
    expect_equal(simulated_s("binomial_tree", described_),
                 binomial_tree_cost_s(hypercube(described_), size_bytes, gamma_));
}

TEST_P(ClosedForms, HierarchicalRings) {
    const CostParameters costs = costs_of(described_);
    expect_equal(simulated_s("hierarchical:ring/ring", described_),
                 hierarchical_rings_cost_s(described_.nodes, described_.ranks_per_node, size_bytes,
                                           costs.intra_node, costs.inter_node, gamma_));
}

TEST_P(ClosedForms, RingWhereAllLinksAreAlike) {
    described_.inter_node = described_.intra_node;
    expect_equal(
        simulated_s("ring", described_),
        ring_cost_s(described_.ranks(), size_bytes, costs_of(described_).intra_node, gamma_));
}

/// All ranks of a node on one NIC, which is as fast as one of them: each gets its share.
TEST_P(ClosedForms, OneNicForTheWholeNode) {
    const int sharers = described_.ranks_per_node;
    described_.nics = NicDescription{1, 50.0, NicAssignment::block, ""};
    expect_equal(simulated_s("recursive_doubling", described_),
                 recursive_doubling_cost_s(hypercube(described_, sharers), size_bytes, gamma_));
    CostParameters costs = costs_of(described_);
    costs.inter_node.beta_s_per_byte *= sharers;
    expect_equal(simulated_s("hierarchical:ring/ring", described_),
                 hierarchical_rings_cost_s(described_.nodes, sharers, size_bytes, costs.intra_node,
                                           costs.inter_node, gamma_));
}

/// In the steps that cross leaves all hosts send at once: each gets its share of the uplinks.
TEST_P(ClosedForms, OversubscribedLeaves) {
    described_.fat_tree = FatTreeDescription{2, false, 4.0, 2e-6, ""};
    expect_equal(simulated_s("rabenseifner", described_),
                 rabenseifner_cost_s(hypercube(described_, 1.0, 2, 4.0), size_bytes, gamma_));
}

/// Partners of a hypercube have the same lane, so each rail is a tree of its own; within a leaf of
/// one rail nothing is shared, and across leaves as above.
TEST_P(ClosedForms, OversubscribedRails) {
    described_.nics = NicDescription{described_.ranks_per_node, 50.0, NicAssignment::block, ""};
    described_.fat_tree = FatTreeDescription{4, true, 3.0, 2e-6, ""};
    expect_equal(simulated_s("rabenseifner", described_),
                 rabenseifner_cost_s(hypercube(described_, 1.0, 4, 3.0), size_bytes, gamma_));
}

INSTANTIATE_TEST_SUITE_P(Clusters, ClosedForms,
                         testing::Values(Shape{1, 8}, Shape{8, 1}, Shape{2, 2}, Shape{4, 8},
                                         Shape{16, 8}),
                         [](const auto& test) {
                             return std::to_string(test.param.nodes) + "x" +
                                    std::to_string(test.param.ranks_per_node);
                         });

TEST(ClosedFormsAtScale, RingAt1024AndHierarchicalAt512Ranks) {
    ClusterDescription flat = cluster(1, 1024);
    const CostParameters costs = costs_of(flat);
    expect_equal(simulated_s("ring", flat),
                 ring_cost_s(1024, size_bytes, costs.intra_node, costs.gamma_s_per_byte));
    expect_equal(simulated_s("hierarchical:ring/ring", cluster(64, 8)),
                 hierarchical_rings_cost_s(64, 8, size_bytes, costs.intra_node, costs.inter_node,
                                           costs.gamma_s_per_byte));
}

/// The planted bugs: a model that loses something is out by more than the 0.1 % allowed.
TEST(PlantedInTheEngine, WhatIsLostIsSeen) {
    const ClusterDescription right = cluster(16, 8);
    const CostParameters costs = costs_of(right);
    const double expected = hierarchical_rings_cost_s(16, 8, size_bytes, costs.intra_node,
                                                      costs.inter_node, costs.gamma_s_per_byte);
    const auto seen = [&](auto&& spoil) {
        ClusterDescription wrong = right;
        spoil(wrong);
        return !within_a_thousandth(simulated_s("hierarchical:ring/ring", wrong), expected);
    };
    using C = ClusterDescription;
    EXPECT_FALSE(seen([](C&) {}));
    EXPECT_TRUE(seen([](C& c) { c.intra_node.alpha_s = 0.0; }));
    EXPECT_TRUE(seen([](C& c) { c.inter_node.alpha_s = 0.0; }));
    EXPECT_TRUE(seen([](C& c) { c.reduction.rate_gb_s = 1e6; }));
    EXPECT_TRUE(seen([](C& c) { c.intra_node.bandwidth_gb_s *= 2; }));
    EXPECT_TRUE(seen([](C& c) { c.nics = NicDescription{4, 50.0, NicAssignment::block, ""}; }));
}

/// One alpha lost out of the fourteen of a ring: its last step left out.
TEST(PlantedInTheEngine, ALostStepIsSeen) {
    const CostParameters costs = costs_of(cluster(1, 8));
    Schedule schedule = make_schedule(find_algorithm("all_reduce", "ring"), Topology::one_node(8));
    const CollectiveSpec spec{
        {static_cast<std::int64_t>(size_bytes) / 4, ElementType::fp32, Reduction::sum}, 0, {}};
    const auto time_s = [&] { return predict_time_s(schedule, spec, costs); };
    const double expected = ring_cost_s(8, size_bytes, costs.intra_node, costs.gamma_s_per_byte);
    EXPECT_TRUE(within_a_thousandth(time_s(), expected));
    for (RankProgram& program : schedule.programs) {
        std::erase_if(program.actions,
                      [](const BlockTransfer& action) { return action.step == 13; });
    }
    EXPECT_FALSE(within_a_thousandth(time_s(), expected));
}

}  // namespace
}  // namespace shardstone::validation
