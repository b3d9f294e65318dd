// SPDX-License-Identifier: BSD-3-Clause
// The words of --accuracy: what they stand for, and what is refused.
#include <gtest/gtest.h>

#include "benchmarks/collectives/accuracy/plan.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::benchmarks;

SweepOptions operations(std::vector<std::string> names) {
    SweepOptions chosen;
    chosen.operations = std::move(names);
    return chosen;
}

TEST(AccuracyPlan, AllStandsForWhatReducesAndForEveryType) {
    const AccuracyPlan plan = plan_accuracy(operations({"all"}), {});
    ASSERT_EQ(plan.sweep.operations.size(), 3U);
    EXPECT_EQ(plan.sweep.operations[0].operation->name, "all_reduce");
    EXPECT_EQ(plan.sweep.operations[1].operation->name, "reduce");
    EXPECT_EQ(plan.sweep.operations[2].operation->name, "reduce_scatter");
    EXPECT_EQ(plan.types.size(), 8U);
}

TEST(AccuracyPlan, LengthsDivideIntoShares) {
    AccuracyOptions options;
    options.elements = {4, 100, 101};
    const AccuracyPlan plan = plan_accuracy(operations({"all"}), options);
    EXPECT_EQ(lengths_of(plan, collectives::find_operation("reduce_scatter"), 3),
              (std::vector<std::int64_t>{3, 99, 102}));
    EXPECT_EQ(lengths_of(plan, collectives::find_operation("all_reduce"), 3),
              (std::vector<std::int64_t>{4, 100, 101}));
}

TEST(AccuracyPlan, RefusesWhatMeansNothing) {
    EXPECT_THROW(plan_accuracy(operations({"broadcast"}), {}), Error);
    AccuracyOptions options;
    options.types = {"fp12"};
    EXPECT_THROW(plan_accuracy({}, options), Error);
    options = {};
    options.elements = {0};
    EXPECT_THROW(plan_accuracy({}, options), Error);
    options = {};
    options.runs = 1;
    EXPECT_THROW(plan_accuracy({}, options), Error);
}

}  // namespace
}  // namespace shardstone::validation
