// SPDX-License-Identifier: BSD-3-Clause
// Context parallelism in closed form: bytes, memory, work and time; and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/model/memory_formula.hpp"
#include "reference/step/memory_model.hpp"
#include "reference/step/pricing/pass_work.hpp"
#include "reference/step/pricing/prediction.hpp"
#include "reference/step/volume.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Choices = std::map<std::string, std::string>;

const GroupKind context{{"context"}};
constexpr std::int64_t real_bytes = 4;

StepSpec spec_of(const char* plan, const Choices& choices = {}) {
    StepSpec spec = small_spec(parse_plan(plan), 4, 2);
    spec.choices = choices;
    validate(spec);
    return spec;
}

std::int64_t sent_in_context_group(const StepSpec& spec, int rank) {
    const WireFormat format(spec, real_bytes);
    return scheduled_bytes(spec, step_program(spec, rank), rank, format,
                           one_node(spec.plan, rank))[context];
}

/// 2 B HD: of one position's keys and values.
std::int64_t columns_of(const StepSpec& spec, int rank) {
    const ModelPart part = part_of(spec, rank);
    return 2 * spec.batch.micro_batch * part.heads(spec.model).count * spec.model.head_size();
}

// Of a block and micro-batch: forward P - 1 shifts of the most positions of a rank, backward P - 1
// again and P - 1 of the gradients; with recomputation P - 1 more.
TEST(ContextParallel, TheRingSendsWhatItsHeaderSays) {
    for (const char* plan : {"cp=2", "cp=3", "cp=5", "tp=2,cp=3,sp=1", "dp=2,cp=2,pp=2,zero=2"}) {
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
            StepSpec spec = spec_of(plan);
            spec.recompute = recompute;
            spec.precision.storage = Storage::bf16;
            const std::int64_t ranks = spec.plan.context;
            const std::int64_t most = (spec.batch.sequence + ranks - 1) / ranks;
            const std::int64_t passes = recompute == Recompute::none ? 2 : 3;
            for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
                const std::int64_t blocks = part_of(spec, rank).layers() * spec.micro_batches();
                EXPECT_EQ(sent_in_context_group(spec, rank),
                          blocks * most * columns_of(spec, rank) * (ranks - 1) *
                              (passes * 2 + real_bytes))
                    << describe(spec) << " rank " << rank;
            }
        }
    }
}

// All ranks together: P - 1 times all keys and values each way, and as often their gradients.
TEST(ContextParallel, TheAllGatherSendsWhatItsHeaderSays) {
    for (const char* plan : {"cp=2", "cp=3", "cp=5"}) {
        StepSpec spec = spec_of(plan, {{"context-attention", "all-gather"}});
        spec.precision.storage = Storage::bf16;
        std::int64_t sent = 0;
        for (int rank = 0; rank < spec.plan.ranks(); ++rank)
            sent += sent_in_context_group(spec, rank);
        const std::int64_t blocks = spec.model.layers * spec.micro_batches();
        EXPECT_EQ(sent, blocks * (spec.plan.context - 1) * spec.batch.sequence *
                            columns_of(spec, 0) * (2 * 2 + real_bytes))
            << plan;
    }
}

/// What a slot keeps more costs: everything but the workspace, which is there once.
std::int64_t slot_bytes(const StepSpec& spec, int rank, bool recompute) {
    PartShape shape = shape_of(spec, rank);
    shape.recompute = recompute ? Recompute::full : Recompute::none;
    const auto bytes = [&](int slots) {
        shape.slots = {slots};
        return expected_activations_bytes<float>(spec.model, part_of(spec, rank), shape);
    };
    return bytes(2) - bytes(1);
}

TEST(ContextParallel, KeptActivationsFallAsOneOverItsRanksToTheByte) {
    StepSpec spec = small_spec({}, 3, 2);
    spec.model.channels = 64;
    spec.model.heads = 4;
    spec.model.context = spec.batch.sequence = 256;
    for (const bool recompute : {false, true}) {
        const std::int64_t alone = slot_bytes(spec, 0, recompute);
        for (const int ranks : {2, 4, 8}) {
            for (const char* kind : {"ring", "all-gather"}) {
                StepSpec shared = spec;
                shared.plan.context = ranks;
                shared.choices = {{"context-attention", kind}};
                for (int rank = 0; rank < ranks; ++rank) {
                    EXPECT_EQ(slot_bytes(shared, rank, recompute) * ranks, alone);
                }
            }
        }
    }
}

// The ring's workspace falls as well; what all-gather collects does not.
TEST(ContextParallel, OnlyTheRingsWorkspaceFallsWithItsRanks) {
    StepSpec spec = small_spec({}, 1, 1);
    spec.model.context = spec.batch.sequence = 4096;
    const auto workspace = [&](int ranks, const char* kind) {
        spec.plan.context = ranks;
        spec.choices = {{"context-attention", kind}};
        const ModelPart part = part_of(spec, 0);
        PartShape shape = shape_of(spec, 0);
        shape.slots = {1};
        return expected_activations_bytes<float>(spec.model, part, shape) -
               slot_bytes(spec, 0, false);
    };
    EXPECT_LT(2 * workspace(8, "ring"), 1.05 * static_cast<double>(workspace(4, "ring")));
    // Keys, values and their gradients of all positions.
    const std::int64_t gathered = 2 * spec.batch.sequence * columns_of(spec, 0) * real_bytes;
    for (const int ranks : {4, 8}) EXPECT_GT(workspace(ranks, "all-gather"), gathered);
}

std::vector<double> work_of_ranks(const StepSpec& spec) {
    std::vector<double> flop(static_cast<std::size_t>(spec.plan.ranks()));
    for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
        for (const Action& action : step_program(spec, rank).actions) {
            if (!action.is_pass()) continue;
            flop[static_cast<std::size_t>(rank)] +=
                pass_work(spec, part_of(spec, rank), action, real_bytes).flop;
        }
    }
    return flop;
}

TEST(ContextParallel, ZigzagGivesAllRanksTheSameWorkAndTheTimelineShowsWhatBlocksCost) {
    StepSpec zigzag = small_spec(parse_plan("cp=4"), 2, 2);
    zigzag.model.context = zigzag.batch.sequence = 64;
    StepSpec blocks = zigzag;
    blocks.choices = {{"context-order", "blocks"}};
    const auto even = work_of_ranks(zigzag), uneven = work_of_ranks(blocks);
    EXPECT_EQ(*std::ranges::max_element(even), *std::ranges::min_element(even));
    EXPECT_TRUE(std::ranges::is_sorted(uneven));
    // Attention of the last of P blocks is (2P - 1)/P^2 of all, of the first 1/P^2: of 12 T (HD)
    // T/2 FLOP per head for a step (forward, and twice that back) and two micro-batches of two
    // sequences.
    const auto t = static_cast<double>(zigzag.batch.sequence);
    const auto columns = static_cast<double>(zigzag.model.channels);
    const double all = 2.0 * 2.0 * 2.0 * 3.0 * 2.0 * t * t * columns;
    EXPECT_DOUBLE_EQ(uneven.back() - uneven.front(), all * 6.0 / 16.0);

    const auto time_s = [](const StepSpec& spec) {
        return price_step(spec, typical_node(4, 1e9, 1e12), {.element_bytes = real_bytes})
            .prediction.step_s;
    };
    const double expected = (uneven.back() - even.back()) / 1e9;
    EXPECT_NEAR(time_s(blocks) - time_s(zigzag), expected, 0.25 * expected);
}

std::string complaint(const char* plan, const Choices& choices, std::int64_t sequence) {
    StepSpec spec = small_spec(parse_plan(plan), 2, 2);
    spec.batch.sequence = sequence;
    spec.choices = choices;
    try {
        validate(spec);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(ContextParallel, RefusesWhatCannotWork) {
    EXPECT_EQ(complaint("cp=5", {}, 5), "");
    EXPECT_EQ(complaint("cp=5", {}, 4),
              "plan cp=5: sequences of 4 positions are too short for 5 context ranks; use at most "
              "cp=4");
    EXPECT_EQ(complaint("cp=2", {{"context-order", "stripes"}}, 8),
              "unknown --context-order 'stripes': use one of zigzag, blocks");
    EXPECT_EQ(complaint("cp=2", {{"context-attention", "tree"}}, 8),
              "unknown --context-attention 'tree': use one of ring, all-gather");
}

}  // namespace
}  // namespace shardstone::validation
