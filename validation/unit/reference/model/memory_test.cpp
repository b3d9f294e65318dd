// SPDX-License-Identifier: BSD-3-Clause
// What a part of a model allocates is what the closed form says, to the byte.
#include "reference/model/context/context_attention.hpp"
#include "reference/model/context/sequence_orders.hpp"
#include "reference/model/memory_formula.hpp"
#include "validation/unit/reference/model/part_model.hpp"

namespace shardstone::validation {
namespace {

const GptConfig odd_config{"odd", 61, 70, 3, 5, 30};

std::vector<ModelPart> parts() {
    return {
        reference::whole_model(odd_config), {.chunks = {{0, 2, true, false}}},
        {.chunks = {{1, 1, false, false}}}, {.chunks = {{3, 0, false, true}}},
        {.chunks = {{0, 0, true, false}}},  {.chunks = {{0, 1, true, false}, {2, 1, false, true}}}};
}

template <class Real>
void expect_as_predicted(const ModelPart& part, const PartShape& shape) {
    PartModel<Real> model(odd_config, part, shape);
    EXPECT_EQ(model.part().activations_bytes(),
              reference::expected_activations_bytes<Real>(odd_config, part, shape))
        << "layers " << part.layers() << ", tp " << part.tensor_ranks << ", sp "
        << part.sequence_parallel << ", recompute " << to_string(shape.recompute) << ", split "
        << shape.splits_backward;
}

TEST(Memory, AllocatedEqualsFormulaToTheByte) {
    for (ModelPart part : parts()) {
        for (const int ranks : {1, 3}) {
            for (const int sequence : {7, 65}) {
                for (const Recompute recompute :
                     {Recompute::none, Recompute::selective, Recompute::full}) {
                    for (const bool flag : {false, true}) {
                        part.tensor_ranks = ranks;
                        part.tensor_rank = ranks / 2;
                        part.sequence_parallel = flag;
                        PartShape shape{.micro_batch = 2, .sequence = sequence};
                        shape.slots =
                            part.chunks.size() == 1 ? std::vector<int>{3} : std::vector<int>{2, 1};
                        shape.gradient_slots = 2;
                        shape.recompute = recompute;
                        expect_as_predicted<float>(part, shape);
                        shape.splits_backward = true;
                        expect_as_predicted<double>(part, shape);
                        shape.storage = reference::Storage::bf16;
                        shape.fp8_products = flag;
                        expect_as_predicted<float>(part, shape);
                        shape.stream = reference::Storage::bf16;
                        expect_as_predicted<float>(part, shape);
                    }
                }
            }
        }
    }
}

TEST(Memory, OfContextRanksEqualsTheFormulaToo) {
    for (const auto* kind : {&reference::ring_attention(), &reference::gathered_attention()}) {
        for (const int sequence : {7, 65}) {
            for (const int rank : {0, 2}) {
                ModelPart part = reference::whole_model(odd_config);
                part.sequence = {rank, 3, reference::zigzag_positions};
                part.attention = kind;
                part.tensor_ranks = 2;
                part.sequence_parallel = true;
                PartShape shape{.micro_batch = 2, .sequence = sequence, .slots = {2}};
                expect_as_predicted<double>(part, shape);
                shape.storage = reference::Storage::bf16;
                expect_as_predicted<float>(part, shape);
            }
        }
    }
}

TEST(Memory, EveryOptionSavesWhatItIsFor) {
    ModelPart part = reference::whole_model(odd_config);
    PartShape shape{.micro_batch = 1, .sequence = 32, .slots = {4}};
    const auto bytes = [&] {
        return reference::expected_activations_bytes<float>(odd_config, part, shape);
    };
    const auto none = bytes();
    shape.recompute = Recompute::selective;
    const auto selective = bytes();
    shape.recompute = Recompute::full;
    EXPECT_LT(selective, none);
    EXPECT_LT(bytes(), selective);
    shape.recompute = Recompute::none;
    part.tensor_ranks = 5;
    const auto shared = bytes();
    EXPECT_LT(shared, none);
    part.sequence_parallel = true;
    EXPECT_LT(bytes(), shared);
    // A formula that forgets a term must not pass: one sequence more is not the same.
    const auto one = bytes();
    shape.micro_batch = 2;
    EXPECT_GT(bytes(), one);
}

TEST(Memory, OfAWholeModelIsItsParametersTwiceAndItsActivations) {
    const auto memory = Gpt<float>(odd_config, 3, 7).memory();
    EXPECT_EQ(memory.weights_bytes, 4 * odd_config.parameter_count());
    EXPECT_EQ(memory.gradients_bytes, memory.weights_bytes);
    EXPECT_EQ(memory.activations_bytes, reference::expected_activations_bytes<float>(
                                            odd_config, reference::whole_model(odd_config),
                                            {.micro_batch = 3, .sequence = 7}));
}

}  // namespace
}  // namespace shardstone::validation
