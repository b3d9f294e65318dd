// SPDX-License-Identifier: BSD-3-Clause
// Reproducible training gives the same bits on any number of ranks, with any all-reduce.
#include <gtest/gtest.h>

#include <set>

#include "validation/equivalence/layouts.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

void expect_all_equal(const std::vector<LayoutResult>& results) {
    if (!world().is_root()) return;
    for (const auto& check : checks_of(results)) {
        EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
    }
}

TEST(Bitwise, OnAnyNumberOfRanks) {
    const TrainOptions options = equivalence_training(gpt_preset("nano"), 5);
    const auto results =
        compare_layouts(world(), make_layouts({1, 2, 3, 4, 8}, {"ring"}, 8, options), options);
    expect_all_equal(results);
    if (!world().is_root()) return;
    // The proof is about something: the model learns, and every step leaves other bits.
    std::set<std::uint64_t> gradients;
    for (const auto& step : results.front().trail.steps) gradients.insert(step.gradients.front());
    EXPECT_EQ(gradients.size(), 5U);
    EXPECT_LT(results.front().trail.steps.back().loss, results.front().trail.steps.front().loss);
}

TEST(Bitwise, WithAnyAllReduce) {
    const std::vector<Layout> layouts{
        {1, "ring"}, {8, "recursive_doubling"}, {3, "rabenseifner"}, {8, "mpi"}};
    expect_all_equal(
        compare_layouts(world(), layouts, equivalence_training(gpt_preset("nano"), 3)));
}

TEST(Bitwise, WithAnyBucketsAndWithoutOverlap) {
    const Dataset text = equivalence_text();
    TrainOptions options = equivalence_training(gpt_preset("nano"), 3);
    options.plan.data = world().size();
    const Trail expected = follow_training(world(), options, text);
    options.communication.bucket_bytes = 10000;
    EXPECT_FALSE(first_difference(expected, follow_training(world(), options, text)));
    options.communication.overlap = false;
    EXPECT_FALSE(first_difference(expected, follow_training(world(), options, text)));
    options.optimizer.kind = OptimizerKind::sgd;
    EXPECT_TRUE(first_difference(expected, follow_training(world(), options, text)));
}

// The sharpest evidence that order does not matter: shares of unequal size, in another order.
TEST(Bitwise, WithUnequalSharesInReverse) {
    const auto reversed = [](const TrainOptions& options, int rank) {
        const std::int64_t first = rank == 0 ? 19 : 0;
        return data_parallel_program(options.batch, {first, rank == 0 ? 5 : 19},
                                     reduction_shape(options));
    };
    auto group = world().split(world().rank() < 2 ? 0 : 1);
    if (world().rank() >= 2) return;
    const Dataset text = equivalence_text();
    TrainOptions options = equivalence_training(gpt_preset("nano"), 3);
    options.plan.data = 2;
    const Trail expected = follow_training(group, options, text);
    const auto difference =
        first_difference(expected, follow_training(group, options, text, reversed));
    EXPECT_FALSE(difference) << difference->text();
}

}  // namespace
}  // namespace shardstone::validation
