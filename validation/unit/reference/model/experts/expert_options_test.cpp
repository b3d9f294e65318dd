// SPDX-License-Identifier: BSD-3-Clause
// Experts as options: rows of a capacity, names, parameters, FLOP, and what is refused; and what a
// rank's share of them is about.
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "reference/model/context/sequence_orders.hpp"
#include "reference/model/experts/expert_part.hpp"
#include "reference/model/memory_formula.hpp"
#include "validation/unit/reference/model/experts/expert_models.hpp"

namespace shardstone::validation {
namespace {

using reference::ExpertOptions;
using reference::ExpertPart;

TEST(ExpertOptions, ACapacityIsRoundedUpAndAtMostTheSequence) {
    const auto slots = [](Size experts, Size top_k, double capacity, Size length) {
        return ExpertOptions{experts, top_k, capacity}.slots(length);
    };
    EXPECT_EQ(slots(8, 2, 1.25, 10), 4);   // 3.125
    EXPECT_EQ(slots(8, 2, 1.0, 16), 4);    // exactly
    EXPECT_EQ(slots(8, 1, 0.5, 4), 1);     // a quarter
    EXPECT_EQ(slots(4, 2, 1.1, 100), 55);  // of the double nearest to 1.1 a little more
    EXPECT_EQ(slots(4, 4, 1.0, 9), 9);
    EXPECT_EQ(slots(4, 2, 3.0, 9), 9);  // not 13.5
    EXPECT_EQ(slots(4, 2, 1e300, 9), 9);
    EXPECT_EQ(slots(4, 2, 0.0, 9), 0);
}

TEST(ExpertOptions, HaveAName) {
    EXPECT_EQ(name_of(ExpertOptions{8, 2}), "-moe8k2");
    EXPECT_EQ(name_of(ExpertOptions{64, 1, 1.25}), "-moe64k1c1.25");
}

TEST(ExpertOptions, ParametersAreThoseOfTheLayout) {
    for (const Size experts : {1, 2, 3, 8}) {
        for (const Size top_k : {1, 2}) {
            if (top_k > experts) continue;
            const GptConfig config = mixture(experts, top_k, 0.0);
            const reference::ParameterLayout layout(config);
            EXPECT_EQ(config.parameter_count(), layout.count());
            EXPECT_EQ(reference::tensor_count(config), std::ssize(layout.parameters()));
            EXPECT_EQ(layout.has_experts(), experts > 1);
        }
    }
    // E MLPs of 8 C^2 + 5 C and a router of E C for one MLP, in two blocks of 16 channels.
    EXPECT_EQ(mixture(8, 1, 0.0).parameter_count() - small_config.parameter_count(),
              2 * (7 * (8 * 256 + 5 * 16) + 8 * 16));
}

TEST(ExpertOptions, ATokenMeetsTheExpertsThatItPicks) {
    const auto of = [](Size experts, Size top_k) {
        return flop_parameters(mixture(experts, top_k, 1.0));
    };
    EXPECT_EQ(of(8, 3) - of(8, 2), 2.0 * (8 * 256 + 5 * 16));
    EXPECT_EQ(of(8, 2) - of(4, 2), 2.0 * (4 * 16));  // of the router
    EXPECT_EQ(of(1, 1), flop_parameters(small_config));
}

std::string complaint(const ExpertOptions& experts) {
    GptConfig config = small_config;
    config.experts = experts;
    try {
        config.validate();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(ExpertOptions, RefuseWhatCannotBe) {
    EXPECT_EQ(complaint({4096, 4096, 0.0, 0.0, 0.0}), "");
    EXPECT_EQ(complaint({0, 1}), "--experts 0: give 1 (a plain MLP) to 4096");
    EXPECT_EQ(complaint({4097, 1}), "--experts 4097: give 1 (a plain MLP) to 4096");
    EXPECT_EQ(complaint({4, 0}), "--top-k 0: give 1 to the 4 experts");
    EXPECT_EQ(complaint({4, 5}), "--top-k 5: give 1 to the 4 experts");
    EXPECT_EQ(complaint({1, 2}), "--top-k 2 means nothing without --experts 2 or more");
    const std::string capacity = ": give a factor such as 1.25, or 0 to drop nothing";
    EXPECT_EQ(complaint({4, 1, -0.5}), "--capacity -0.5" + capacity);
    EXPECT_EQ(complaint({4, 1, NAN}), "--capacity nan" + capacity);
    EXPECT_EQ(complaint({4, 1, INFINITY}), "--capacity inf" + capacity);
    const std::string factor = ": give a factor from 0 to 1000";
    EXPECT_EQ(complaint({4, 1, 1.0, -1.0, 0.5}), "--balance-loss -1" + factor);
    EXPECT_EQ(complaint({4, 1, 1.0, 0.5, INFINITY}), "--router-z-loss inf" + factor);
}

/// Of rank `rank` of `ranks`, of three sequences of ten positions.
ExpertPart part_of(const ExpertOptions& experts, int ranks, int rank = 0) {
    const GptConfig config = mixture(experts.count, experts.top_k, experts.capacity);
    ModelPart part = reference::whole_model(config);
    part.expert_ranks = ranks;
    part.expert_rank = rank;
    return reference::expert_part(config, part, 3, 10);
}

TEST(ExpertPart, WithACapacityAllBuffersHaveItsRows) {
    for (const int ranks : {1, 2, 4}) {
        for (int rank = 0; rank < ranks; ++rank) {
            const ExpertPart part = part_of({8, 2, 1.25}, ranks, rank);
            EXPECT_EQ(part.own.count, 8 / ranks);
            EXPECT_EQ(part.own.first, 8 / ranks * rank);
            EXPECT_EQ(part.rows(), 30);
            EXPECT_EQ(part.rows_of_expert(), 3 * 4);
            EXPECT_EQ(part.sent_rows(), 8 * 3 * 4);
            EXPECT_EQ(part.received_rows(), 8 * 3 * 4);
            EXPECT_EQ(part.expected_rows(), 8 * 3 * 4);
        }
    }
}

// All P ranks may send each of their 30 positions to as many of the own experts as they pick.
TEST(ExpertPart, WithoutACapacityThereIsRoomForTheMostThatMayCome) {
    for (const Size top_k : {1, 2, 3, 6}) {
        for (const int ranks : {1, 2, 3}) {
            const ExpertPart part = part_of({6, top_k, 0.0}, ranks);
            EXPECT_FALSE(part.has_capacity());
            EXPECT_EQ(part.sent_rows(), 30 * top_k);
            EXPECT_EQ(part.received_rows(), ranks * 30 * std::min<Size>(top_k, 6 / ranks));
            EXPECT_EQ(part.expected_rows(), 30 * top_k);
        }
    }
    EXPECT_EQ(part_of({4, 2, 0.0}, 4).received_rows(), 4 * 30);
}

TEST(ExpertPart, ContextRanksHaveTheirOwnPositionsOnly) {
    const GptConfig config = mixture(4, 2, 0.0);
    ModelPart part = reference::whole_model(config);
    part.sequence = {1, 3, reference::zigzag_positions};
    const ExpertPart experts = reference::expert_part(config, part, 3, 12);
    EXPECT_EQ(experts.rows(), 3 * 4);
    EXPECT_EQ(experts.length, 12);
    EXPECT_EQ(experts.context_ranks, 3);
}

TEST(ExpertPart, IsNothingForAPlainMlp) {
    EXPECT_FALSE(part_of({1, 1, 1.25}, 1).any());
    EXPECT_FALSE(part_of({1, 1, 1.25}, 1).has_capacity());
}

}  // namespace
}  // namespace shardstone::validation
