// SPDX-License-Identifier: BSD-3-Clause
// What a pass through the experts of a block computes and sends, phase by phase.
#include "reference/model/experts/expert_phases.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "validation/unit/reference/model/experts/expert_models.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = PhaseTransfer::CollectiveKind;
using Of = PhaseTransfer::Of;

constexpr std::int64_t rows = 24, channels = 16, experts = 6, top_k = 2, slots = 5;

/// Four sequences of six positions; with a capacity an expert has five rows of each.
PhaseShape shape_of(int ranks, bool has_capacity) {
    PhaseShape shape;
    shape.rows = rows;
    shape.channels = channels;
    shape.experts = {.experts = experts,
                     .top_k = top_k,
                     .own = even_share(experts, ranks, 0),
                     .ranks = ranks,
                     .sequences = 4,
                     .length = 6,
                     .positions = 6,
                     .slots = has_capacity ? slots : 0};
    return shape;
}

/// A phase in short.
struct Step {
    Computation computation;
    int needs = 0;
    std::optional<PhaseTransfer> transfer = {};

    bool operator==(const Step&) const = default;
};

std::vector<Step> steps_of(const PhaseShape& shape, Pass pass) {
    std::vector<Step> steps;
    for (const UnitPhase& phase : phases_of(shape, Unit::Kind::block, pass)) {
        if (phase.branch == UnitPhase::Branch::mlp) {
            steps.push_back({phase.computation, phase.needs, phase.transfer});
        }
    }
    return steps;
}

const PhaseTransfer even{Kind::all_to_all, experts * 4 * slots, channels, Of::stored, "expert"};
const PhaseTransfer varying{Kind::all_to_all_v, rows* top_k, channels, Of::stored, "expert"};
PhaseTransfer counts(int ranks) {
    return {Kind::all_gather, ranks, experts, Of::real, "expert"};
}

TEST(ExpertPhases, WithACapacityRowsGoAndComeByOneAllToAllEach) {
    for (const int ranks : {2, 3}) {
        const PhaseShape shape = shape_of(ranks, true);
        EXPECT_EQ(steps_of(shape, Pass::forward),
                  (std::vector<Step>{{Computation::norm},
                                     {Computation::route},
                                     {Computation::dispatch, 0, even},
                                     {Computation::column_product, 1},
                                     {Computation::middle, 1},
                                     {Computation::row_product, 1, even},
                                     {Computation::combine, 2},
                                     {Computation::residual, 2}}));
        EXPECT_EQ(steps_of(shape, Pass::backward),
                  (std::vector<Step>{{Computation::gradient_rows},
                                     {Computation::combine_gradient, 0, even},
                                     {Computation::gate_gradient, 0},
                                     {Computation::row_gradient, 1},
                                     {Computation::middle_gradient, 1},
                                     {Computation::input_gradient, 1, even},
                                     {Computation::row_weights, 1},
                                     {Computation::column_weights, 1},
                                     {Computation::dispatch_gradient, 2},
                                     {Computation::router_gradient, 2},
                                     {Computation::router_weights, 2},
                                     {Computation::norm_weights, 2},
                                     {Computation::norm_gradient, 2}}));
    }
}

// The weights' half sends nothing: all it needs is in the stash.
TEST(ExpertPhases, HalvesOfABackwardPassShareItOut) {
    const PhaseShape shape = shape_of(2, true);
    EXPECT_EQ(steps_of(shape, Pass::backward_input),
              (std::vector<Step>{{Computation::gradient_rows},
                                 {Computation::combine_gradient, 0, even},
                                 {Computation::gate_gradient, 0},
                                 {Computation::row_gradient, 1},
                                 {Computation::middle_gradient, 1},
                                 {Computation::input_gradient, 1, even},
                                 {Computation::dispatch_gradient, 2},
                                 {Computation::router_gradient, 2},
                                 {Computation::norm_gradient, 2}}));
    EXPECT_EQ(steps_of(shape, Pass::backward_weight),
              (std::vector<Step>{{Computation::row_weights},
                                 {Computation::column_weights},
                                 {Computation::router_weights},
                                 {Computation::norm_weights}}));
}

TEST(ExpertPhases, WithoutACapacityCountsAreToldFirstAndLengthsVary) {
    const PhaseShape shape = shape_of(3, false);
    EXPECT_EQ(steps_of(shape, Pass::forward),
              (std::vector<Step>{{Computation::norm},
                                 {Computation::route},
                                 {Computation::row_counts, 0, counts(3)},
                                 {Computation::dispatch, 1, varying},
                                 {Computation::column_product, 2},
                                 {Computation::middle, 2},
                                 {Computation::row_product, 2, varying},
                                 {Computation::combine, 3},
                                 {Computation::residual, 3}}));
    std::vector<PhaseTransfer> sent;
    for (const Step& step : steps_of(shape, Pass::backward)) {
        if (step.transfer) sent.push_back(*step.transfer);
    }
    EXPECT_EQ(sent, (std::vector{varying, varying}));
}

std::vector<PhaseTransfer> sent_along(std::string_view axis, const PhaseShape& shape, Pass pass) {
    std::vector<PhaseTransfer> sent;
    for (const UnitPhase& phase : phases_of(shape, Unit::Kind::block, pass)) {
        if (phase.transfer && phase.transfer->axis == axis) sent.push_back(*phase.transfer);
    }
    return sent;
}

TEST(ExpertPhases, AloneSendNothing) {
    for (const bool has_capacity : {false, true}) {
        for (const Pass pass : {Pass::forward, Pass::recompute, Pass::backward}) {
            PhaseShape shape = shape_of(1, has_capacity);
            shape.recompute = Recompute::full;
            for (const UnitPhase& phase : phases_of(shape, Unit::Kind::block, pass)) {
                EXPECT_FALSE(phase.transfer);
            }
        }
    }
}

// Of what is computed again only the attention branch is without experts.
TEST(ExpertPhases, AreComputedAgainWithWholeBlocksOnly) {
    for (const bool has_capacity : {false, true}) {
        PhaseShape shape = shape_of(2, has_capacity);
        for (const Recompute recompute : {Recompute::none, Recompute::selective}) {
            shape.recompute = recompute;
            EXPECT_TRUE(steps_of(shape, Pass::recompute).empty());
        }
        shape.recompute = Recompute::full;
        std::vector<Step> again = steps_of(shape, Pass::forward);
        again.resize(again.size() - 2);  // not the sum, and not the stream
        EXPECT_EQ(steps_of(shape, Pass::recompute), again);
    }
}

TEST(ExpertPhases, ContextRanksSumThePicksOfWholeSequences) {
    PhaseShape shape = shape_of(2, false);
    shape.experts.context_ranks = 3;
    const PhaseTransfer picks{Kind::sum, 4, experts, Of::real, "context"};
    EXPECT_EQ(sent_along("context", shape, Pass::forward), (std::vector{picks}));
    EXPECT_TRUE(sent_along("context", shape, Pass::backward).empty());
    EXPECT_EQ(sent_along("expert", shape, Pass::forward),
              (std::vector{counts(2), varying, varying}));
}

// Experts send whole rows to the experts of their own tensor rank; the sums of a branch, and those
// of the gradients of gates, are the tensor group's.
TEST(ExpertPhases, TensorRanksSumWhatComesBack) {
    for (const bool splits_rows : {false, true}) {
        PhaseShape shape = shape_of(2, true);
        shape.tensor_ranks = 2;
        shape.splits_rows = splits_rows;
        EXPECT_EQ(sent_along("expert", shape, Pass::forward), (std::vector{even, even}));
        EXPECT_EQ(sent_along("expert", shape, Pass::backward), (std::vector{even, even}));
        const auto forward = sent_along("tensor", shape, Pass::forward);
        const Kind reduction = splits_rows ? Kind::reduce_scatter : Kind::sum;
        EXPECT_EQ(forward.back(), (PhaseTransfer{reduction, rows, channels}));
        const auto backward = sent_along("tensor", shape, Pass::backward);
        const PhaseTransfer gates{Kind::sum, rows, top_k, Of::real};
        EXPECT_EQ(std::ranges::count(backward, gates), 1);
        EXPECT_EQ(std::ranges::count(backward, PhaseTransfer{reduction, rows, channels}), 2);
    }
}

}  // namespace
}  // namespace shardstone::validation
