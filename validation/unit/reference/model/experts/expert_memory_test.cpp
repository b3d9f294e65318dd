// SPDX-License-Identifier: BSD-3-Clause
// What a part with experts allocates is what the closed form says, to the byte; and its parameters
// are what the layout lays out.
#include "reference/model/context/context_attention.hpp"
#include "reference/model/context/sequence_orders.hpp"
#include "reference/model/memory_formula.hpp"
#include "validation/unit/reference/model/experts/expert_models.hpp"

namespace shardstone::validation {
namespace {

const GptConfig odd_mixture{"odd", 61, 70, 3, 5, 30, {6, 4, 0.0, 0.3, 0.2}};

/// Some of the layers, and the experts of them of rank `rank` of `ranks`.
ModelPart part_with(ModelPart part, int ranks, int rank) {
    part.expert_ranks = ranks;
    part.expert_rank = rank;
    return part;
}

std::vector<ModelPart> parts() {
    return {reference::whole_model(odd_mixture),
            {.chunks = {{0, 2, true, false}}},
            {.chunks = {{3, 0, false, true}}},
            {.chunks = {{0, 1, true, false}, {2, 1, false, true}}}};
}

template <class Real>
void expect_as_predicted(const GptConfig& config, const ModelPart& part, const PartShape& shape) {
    PartModel<Real> model(config, part, shape);
    EXPECT_EQ(model.part().activations_bytes(),
              reference::expected_activations_bytes<Real>(config, part, shape))
        << reference::name_of(config.experts) << ", layers " << part.layers() << ", ep "
        << part.expert_ranks << ", tp " << part.tensor_ranks << ", sp " << part.sequence_parallel
        << ", recompute " << to_string(shape.recompute) << ", split " << shape.splits_backward;
    EXPECT_EQ(model.layout().count(), reference::expected_parameters(config, part));
}

void expect_in_every_type(const GptConfig& config, const ModelPart& part, PartShape shape) {
    expect_as_predicted<float>(config, part, shape);
    shape.splits_backward = true;
    expect_as_predicted<double>(config, part, shape);
    shape.storage = reference::Storage::bf16;
    expect_as_predicted<float>(config, part, shape);
    shape.stream = reference::Storage::bf16;
    expect_as_predicted<float>(config, part, shape);
}

TEST(ExpertMemory, AllocatedEqualsFormulaToTheByte) {
    for (const double capacity : {0.0, 1.25}) {
        GptConfig config = odd_mixture;
        config.experts.capacity = capacity;
        for (const ModelPart& whole : parts()) {
            for (const int ranks : {1, 2, 3, 6}) {
                for (const int tensor_ranks : {1, 3}) {
                    ModelPart part = part_with(whole, ranks, ranks - 1);
                    part.tensor_ranks = tensor_ranks;
                    part.tensor_rank = tensor_ranks / 2;
                    for (const Recompute recompute :
                         {Recompute::none, Recompute::selective, Recompute::full}) {
                        PartShape shape{.micro_batch = 2, .sequence = 7};
                        shape.slots =
                            part.chunks.size() == 1 ? std::vector<int>{3} : std::vector<int>{2, 1};
                        shape.recompute = recompute;
                        part.sequence_parallel = !part.sequence_parallel;
                        expect_in_every_type(config, part, shape);
                    }
                }
            }
        }
    }
}

TEST(ExpertMemory, OfContextRanksEqualsTheFormulaToo) {
    for (const int rank : {0, 2}) {
        ModelPart part = part_with(reference::whole_model(odd_mixture), 2, 0);
        part.sequence = {rank, 3, reference::zigzag_positions};
        part.attention = &reference::ring_attention();
        expect_in_every_type(odd_mixture, part, {.micro_batch = 2, .sequence = 65, .slots = {2}});
    }
}

// Of E experts a rank has 1/P: that many parameters, wherever they are.
TEST(ExpertMemory, OfExpertsARankHasItsShare) {
    using Kind = reference::ParameterGroup::Kind;
    const auto of = [](int ranks, Kind kind) {
        const ModelPart part = part_with(reference::whole_model(odd_mixture), ranks, 0);
        return reference::expected_parameters(odd_mixture, part, kind);
    };
    // An MLP of 30 channels has 8 C^2 + 5 C parameters.
    EXPECT_EQ(of(1, Kind::experts), 6 * (8 * 900 + 5 * 30));
    for (const int ranks : {2, 3, 6}) {
        EXPECT_EQ(ranks * of(ranks, Kind::experts), of(1, Kind::experts));
        EXPECT_EQ(of(ranks, Kind::block), of(1, Kind::block));
        const reference::ParameterLayout layout(
            odd_mixture, part_with(reference::whole_model(odd_mixture), ranks, ranks - 1));
        for (const auto& group : layout.groups()) {
            if (group.kind != Kind::experts) continue;
            EXPECT_EQ(group.count, of(ranks, Kind::experts));
        }
    }
}

// With a capacity, activations of expert ranks do not depend on how many they are; without one, the
// most that may come does.
TEST(ExpertMemory, OnlyVaryingRowsNeedRoomForMore) {
    GptConfig config = odd_mixture;
    const PartShape shape{.micro_batch = 2, .sequence = 64};
    const auto bytes = [&](int ranks) {
        return reference::expected_activations_bytes<float>(
            config, part_with(reference::whole_model(config), ranks, 0), shape);
    };
    EXPECT_GT(bytes(2), bytes(1));
    config.experts.capacity = 1.0;
    EXPECT_EQ(bytes(2), bytes(1));
    const auto one = bytes(1);
    config.experts.capacity = 1.5;
    EXPECT_GT(bytes(1), one);
}

}  // namespace
}  // namespace shardstone::validation
