// SPDX-License-Identifier: BSD-3-Clause
// What must not change the gradient: how a batch is cut into micro-batches, running twice, a power
// of two in the scale, positions without a target.
#include <algorithm>

#include "kernels/optimizer/adamw.hpp"
#include "kernels/transformer/cross_entropy.hpp"
#include "validation/unit/reference/model/small_model.hpp"

namespace shardstone::validation {
namespace {

class Invariance : public testing::Test {
  protected:
    static constexpr Size sequence = 10;
    const NamedValues weights_ = lively_weights(small_config);
};

template <class Real>
void run(Gpt<Real>& model, const MicroBatch& data, double scale = 1.0) {
    model.forward(data.tokens, data.targets);
    model.backward(scale);
}

TEST_F(Invariance, MicroBatchesAddUpToTheBatch) {
    const MicroBatch both = random_batch(2, sequence);
    Gpt<float> parts(small_config, 1, sequence);
    load(parts, weights_);
    run(parts, random_batch(1, sequence, 0));
    const NamedValues half = named_gradients(parts);
    run(parts, random_batch(1, sequence, 1));
    const NamedValues sum = named_gradients(parts);
    // Both ways are within the bound of the exact gradient.
    auto bounds = gradient_bounds(weights_, both, roundoff<float>);
    for (auto& [name, bound] : bounds) bound *= 2.0;
    const NamedValues whole = gradient_of<float>(weights_, both);
    EXPECT_LE(worst_ratio(sum, whole, bounds), 1.0);
    EXPECT_GT(worst_ratio(half, whole, bounds), 1.0) << "a dropped micro-batch goes unnoticed";
}

TEST_F(Invariance, SameInputsGiveTheSameBits) {
    const MicroBatch data = random_batch(2, sequence);
    EXPECT_EQ(gradient_of<float>(weights_, data), gradient_of<float>(weights_, data));
}

TEST_F(Invariance, PowersOfTwoInTheScaleAreExact) {
    const MicroBatch data = random_batch(2, sequence);
    Gpt<float> model(small_config, 2, sequence);
    load(model, weights_);
    run(model, data, 0.25);
    NamedValues scaled = named_gradients(model);
    for (auto& [name, values] : scaled) {
        for (double& v : values) v *= 4.0;
    }
    EXPECT_EQ(scaled, gradient_of<float>(weights_, data));
}

TEST_F(Invariance, IgnoredTargetsCountForNothing) {
    MicroBatch data = random_batch(2, sequence);
    std::ranges::fill(data.targets, ignored_target);
    Gpt<float> model(small_config, 2, sequence);
    load(model, weights_);
    EXPECT_EQ(model.forward(data.tokens, data.targets), 0.0);
    model.backward(1.0);
    EXPECT_TRUE(std::ranges::all_of(model.gradients(), [](float g) { return g == 0.0F; }));
    data.targets[3] = 5;
    run(model, data);
    EXPECT_FALSE(std::ranges::all_of(model.gradients(), [](float g) { return g == 0.0F; }));
}

// The pieces together: AdamW on this gradient learns one micro-batch by heart.
TEST_F(Invariance, TrainingLearnsOneBatch) {
    const MicroBatch data = random_batch(2, sequence);
    Gpt<float> model(small_config, 2, sequence);
    model.initialize(1);
    std::vector<float> first(model.weights().size()), second(model.weights().size());
    const double start = model.forward(data.tokens, data.targets);
    for (int step = 1; step <= 150; ++step) {
        std::ranges::fill(model.gradients(), 0.0F);
        run(model, data, 1.0 / (2 * sequence));
        adamw_update<float>(HostQueue(), {.weight_decay = 0.0}, {step, 1e-2},
                            {model.weights(), model.gradients(), first, second});
    }
    EXPECT_LT(model.forward(data.tokens, data.targets), 0.1 * start);
}

}  // namespace
}  // namespace shardstone::validation
