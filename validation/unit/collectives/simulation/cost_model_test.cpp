// SPDX-License-Identifier: BSD-3-Clause
// The cost model against closed forms, where these are exact: powers of two, even blocks.
#include "collectives/simulation/cost_model.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "collectives/operation/algorithm.hpp"
#include "validation/oracle/collective_costs.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr LinkCost inside{2e-6, 1e-10};
constexpr LinkCost between{7e-6, 8e-10};
constexpr double gamma_s = 3e-11;
constexpr CostParameters costs{inside, between, gamma_s};
constexpr std::int64_t element_bytes = 4;
constexpr std::int64_t bytes = 1 << 20;
constexpr std::int64_t count = bytes / element_bytes;

CollectiveSpec vector_of(std::int64_t elements) {
    return {{elements, ElementType::fp32, Reduction::sum}, 0, {}};
}

double predicted(const char* name, const Topology& topology) {
    return predict_time_s(make_schedule(find_algorithm("all_reduce", name), topology),
                          vector_of(count), costs);
}

/// Sums of a few hundred terms: a relative 1e-12 is some thousand units of roundoff.
void expect_equal(double value, double closed_form) {
    EXPECT_NEAR(value, closed_form, 1e-12 * closed_form);
}

class ClosedForm : public testing::TestWithParam<int> {
  protected:
    Topology topology() const { return Topology::one_node(GetParam()); }
    oracle::HypercubeLinks links() const {
        return oracle::HypercubeLinks(
            static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(GetParam()))), inside);
    }
};

TEST_P(ClosedForm, Ring) {
    expect_equal(predicted("ring", topology()),
                 oracle::ring_cost_s(GetParam(), bytes, inside, gamma_s));
}

TEST_P(ClosedForm, RecursiveDoubling) {
    expect_equal(predicted("recursive_doubling", topology()),
                 oracle::recursive_doubling_cost_s(links(), bytes, gamma_s));
}

TEST_P(ClosedForm, Rabenseifner) {
    expect_equal(predicted("rabenseifner", topology()),
                 oracle::rabenseifner_cost_s(links(), bytes, gamma_s));
}

TEST_P(ClosedForm, BinomialTree) {
    expect_equal(predicted("binomial_tree", topology()),
                 oracle::binomial_tree_cost_s(links(), bytes, gamma_s));
}

INSTANTIATE_TEST_SUITE_P(Ranks, ClosedForm, testing::Values(2, 4, 8, 64),
                         testing::PrintToStringParamName());

TEST(CostModel, DoubleBinaryTreeOnTwoRanksUsesBothDirections) {
    expect_equal(predicted("double_binary_tree", Topology::one_node(2)),
                 2 * inside.time_s(bytes / 2) + bytes / 2 * gamma_s);
}

TEST(CostModel, RingOnThreeRanks) {
    const std::int64_t third = 64 * 1000;
    const auto schedule =
        make_schedule(find_algorithm("all_reduce", "ring"), Topology::one_node(3));
    expect_equal(predict_time_s(schedule, vector_of(3 * third / element_bytes), costs),
                 4 * inside.time_s(third) + 2 * third * gamma_s);
}

TEST(CostModel, HierarchicalPaysEachLevelItsOwnLinks) {
    constexpr int nodes = 4;
    constexpr int lanes = 8;
    expect_equal(predicted("hierarchical:ring/ring", Topology::blocked(nodes * lanes, lanes)),
                 oracle::hierarchical_rings_cost_s(nodes, lanes, bytes, inside, between, gamma_s));
}

TEST(CostModel, AFlatRingOverNodesWaitsForItsSlowLinks) {
    // Every step of the ring has a message over a slow link, and the slowest sets the pace.
    EXPECT_GT(predicted("ring", Topology::blocked(8, 4)),
              13 * (between.alpha_s + bytes / 8 * between.beta_s_per_byte));
}

TEST(CostModel, SegmentsOverlap) {
    const auto tree = find_algorithm("all_reduce", "double_binary_tree");
    const auto time_s = [&](int segments) {
        return predict_time_s(make_schedule(tree, Topology::one_node(16), segments),
                              vector_of(64 * count), costs);
    };
    EXPECT_LT(time_s(16), 0.5 * time_s(1));
    // No tree can beat its volume: 2 vectors through the busiest rank's port.
    EXPECT_GT(time_s(16), 64.0 * bytes * 2 * inside.beta_s_per_byte);
}

TEST(CostModel, NothingToSendTakesNoTime) {
    EXPECT_EQ(
        predict_time_s(make_schedule(find_algorithm("all_reduce", "ring"), Topology::one_node(4)),
                       vector_of(0), costs),
        0.0);
    EXPECT_EQ(predicted("ring", Topology::one_node(1)), 0.0);
}

}  // namespace
}  // namespace shardstone::validation
