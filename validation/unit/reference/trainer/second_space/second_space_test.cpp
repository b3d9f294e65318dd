// SPDX-License-Identifier: BSD-3-Clause
// The whole trainer in a second memory space: it compiles from the same sources, touches nothing
// but through kernels, and gives the same bits.
//
// One rank has no transfers: executors of the host touch their data themselves.
//
// The sources themselves are included, since a library has them for the host alone; a device's
// would be instantiated beside that.
#include "validation/unit/reference/trainer/second_space/fenced.hpp"
// Fenced kernels first, so that the templates find them.
#include "reference/model/activations.cpp"
#include "reference/model/chunk_layers.cpp"
#include "reference/model/embedding.cpp"
#include "reference/model/experts/expert_branch.cpp"
#include "reference/model/head.cpp"
#include "reference/model/normed_linear.cpp"
#include "reference/model/residual_branch.cpp"
#include "reference/model/whole_attention.cpp"
#include "reference/precision/fp8_scales.cpp"
#include "reference/trainer/gradient_wire.cpp"
#include "reference/trainer/model_state.cpp"
#include "reference/trainer/optimizer.cpp"
#include "reference/trainer/parameter_memory.cpp"
#include "reference/trainer/trainer.cpp"

namespace shardstone::reference {

/// A device adds its makers to AttentionKind.
#define SHARDSTONE_MAKE(S)                                                \
    template <>                                                           \
    std::unique_ptr<Attention<S, Fenced>> AttentionKind::make<S, Fenced>( \
        FencedQueue queue, const AttentionPart& part) const {             \
        return make_attention<WholeAttention, S, Fenced>(queue, part);    \
    }
SHARDSTONE_MAKE(float)
SHARDSTONE_MAKE(double)
SHARDSTONE_MAKE(bf16)
SHARDSTONE_MAKE(fp16)
#undef SHARDSTONE_MAKE

}  // namespace shardstone::reference

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "reference/model/gpt_part.cpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/trainer/synthetic_language.hpp"

namespace shardstone::reference {

// second_space_actions_test.cpp uses these.
#define SHARDSTONE_INSTANTIATE(S, R)           \
    template class NormedLinear<S, R, Fenced>; \
    template class ExpertBranch<S, R, Fenced>;
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE
template class GptPart<float, Fenced>;
template class ParameterMemory<float, Fenced>;
template class Optimizer<float, Fenced>;
template class Trainer<float, Fenced>;

}  // namespace shardstone::reference

namespace shardstone::validation {
namespace {

using namespace reference;

TrainOptions training(const std::string& precision) {
    TrainOptions options;
    options.model = gpt_preset("nano");
    options.precision = find_precision(precision);
    options.plan = parse_plan("dp=1");
    options.batch = {4, 2, 16};
    options.steps = 3;
    options.eval_sequences = 4;
    return options;
}

template <class Space>
Trainer<float, Space> trainer_of(const TrainOptions& options, const Dataset& text) {
    return Trainer<float, Space>(world(), options, text, checked_step_program(options, 0));
}

std::uint64_t bits(double number) {
    return std::bit_cast<std::uint64_t>(number);
}

/// Both, step by step: every number of the reports, and the state of all parameters in the end.
void expect_same_bits(const TrainOptions& options) {
    const Dataset text = text_in(MarkovLanguage(1, 16, 1), 3000, 1000);
    auto host = trainer_of<Host>(options, text);
    auto fenced = trainer_of<Fenced>(options, text);
    for (std::int64_t step = 0; step < options.steps; ++step) {
        const StepReport expected = host.step(), actual = fenced.step();
        EXPECT_EQ(actual.loss, expected.loss);
        EXPECT_EQ(bits(actual.gradient_norm), bits(expected.gradient_norm));
        EXPECT_EQ(actual.skipped, expected.skipped);
        EXPECT_EQ(actual.learning_rate, expected.learning_rate);
        EXPECT_EQ(actual.loss_scale, expected.loss_scale);
        EXPECT_EQ(actual.sum_not_finite, expected.sum_not_finite);
        EXPECT_EQ(actual.made_not_finite, expected.made_not_finite);
        EXPECT_EQ(actual.made_not_finite.empty(), step + 1 != options.overflow.step);
        ASSERT_EQ(actual.router.has_value(), expected.router.has_value());
        if (!actual.router) continue;
        EXPECT_EQ(actual.router->balance, expected.router->balance);
        EXPECT_EQ(actual.router->z, expected.router->z);
        EXPECT_EQ(actual.router->dropped, expected.router->dropped);
    }
    EXPECT_EQ(fenced.validation_loss(), host.validation_loss());
    const ModelState<float> expected = gather_state(world(), host);
    const ModelState<float> actual = gather_state(world(), fenced);
    EXPECT_EQ(actual.weights, expected.weights);
    EXPECT_EQ(actual.first_moments, expected.first_moments);
    EXPECT_EQ(actual.second_moments, expected.second_moments);
}

class SecondSpace : public testing::TestWithParam<const char*> {};

TEST_P(SecondSpace, GivesTheSameBits) {
    expect_same_bits(training(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Precisions, SecondSpace,
                         testing::Values("fp32", "bf16", "bf16-pure", "bf16-stochastic",
                                         "bf16-stream", "fp16", "fp8"));

TEST(SecondSpace, TakesEveryOptimizer) {
    for (const auto kind : {OptimizerKind::sgd, OptimizerKind::momentum, OptimizerKind::nesterov,
                            OptimizerKind::lamb, OptimizerKind::lars}) {
        TrainOptions options = training("fp32");
        choose_optimizer(options, kind);
        expect_same_bits(options);
    }
}

TEST(SecondSpace, TakesExpertsAndExactSums) {
    for (const double capacity : {0.0, 1.0}) {
        TrainOptions options = training("fp32");
        options.model.experts = {.count = 4, .top_k = 2, .capacity = capacity};
        options.reproducible = capacity > 0.0;
        options.recompute = Recompute::full;
        expect_same_bits(options);
    }
}

TEST(SecondSpace, SaysWhichGradientOverflowed) {
    TrainOptions options = training("fp16");
    options.overflow = {2, 0};
    options.reproducible = true;
    expect_same_bits(options);
}

TEST(SecondSpaceDeathTest, CannotBeReadByTheProgram) {
    const Buffer<int, Fenced> numbers(1);
    EXPECT_DEATH(static_cast<void>(*static_cast<const volatile int*>(numbers.data())), "");
    EXPECT_EQ(read_array(FencedQueue(), numbers.data(), 1), std::vector<int>{0});
}

}  // namespace
}  // namespace shardstone::validation
