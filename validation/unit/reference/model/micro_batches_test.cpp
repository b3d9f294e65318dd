// SPDX-License-Identifier: BSD-3-Clause
// Micro-batches in flight together, recomputation and backward passes in halves change no bit.
#include "validation/unit/reference/model/part_model.hpp"

namespace shardstone::validation {
namespace {

class MicroBatches : public testing::Test {
  protected:
    static constexpr Size sequence = 9;
    const std::vector<MicroBatch> data_{random_batch(2, sequence, 0), random_batch(2, sequence, 2)};
    const NamedValues weights_ = lively_weights(small_config);

    PartModel<float> model(int slots, Recompute recompute, bool splits_backward) {
        const PartShape shape{.micro_batch = 2,
                              .sequence = sequence,
                              .slots = {slots},
                              .recompute = recompute,
                              .splits_backward = splits_backward};
        return PartModel<float>(small_config, reference::whole_model(small_config), shape);
    }
    void forward(PartModel<float>& model, std::size_t which, int slot) {
        model.part().load(0, slot, data_[which].tokens, data_[which].targets);
        losses_.push_back(model.forward(0, slot));
    }
    static NamedValues gradients(const PartModel<float>& model) {
        NamedValues named;
        model.add_gradients(named);
        return named;
    }

    /// One after the other, as Gpt does it.
    NamedValues in_turn() {
        Gpt<float> whole(small_config, 2, sequence);
        load(whole, weights_);
        for (const MicroBatch& data : data_) {
            losses_.push_back(whole.forward(data.tokens, data.targets));
            whole.backward(1.0);
        }
        return named_gradients(whole);
    }
    /// Both forward before either goes backward.
    NamedValues in_flight(Recompute recompute, bool splits_backward, int second_slot = 1) {
        PartModel<float> both = model(2, recompute, splits_backward);
        both.load(weights_);
        forward(both, 0, 0);
        forward(both, 1, second_slot);
        for (const int slot : {0, second_slot}) {
            splits_backward ? both.backward_input(0, slot) : both.backward(0, slot);
        }
        for (const int slot : {0, second_slot}) {
            if (splits_backward) both.backward_weight(0, slot);
        }
        return gradients(both);
    }

    std::vector<double> losses_;
};

TEST_F(MicroBatches, InFlightTogetherEqualThoseInTurn) {
    const NamedValues expected = in_turn();
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
        for (const bool splits_backward : {false, true}) {
            EXPECT_EQ(in_flight(recompute, splits_backward), expected)
                << to_string(recompute) << splits_backward;
        }
    }
    for (std::size_t i = 2; i < losses_.size(); ++i) EXPECT_EQ(losses_[i], losses_[i % 2]);
}

TEST_F(MicroBatches, InOneSlotSpoilEachOther) {
    EXPECT_NE(in_flight(Recompute::none, true, 0), in_turn());
}

TEST_F(MicroBatches, HalvesMayTakeTurnsUnitByUnit) {
    const NamedValues expected = gradient_of<float>(weights_, data_[0]);
    PartModel<float> one = model(1, Recompute::none, true);
    one.load(weights_);
    forward(one, 0, 0);
    for (int unit = one.units(0); unit-- > 0;) {
        one.part().run({.pass = Pass::backward_input, .unit = unit});
        EXPECT_NE(gradients(one), expected);
        one.part().run({.pass = Pass::backward_weight, .unit = unit});
    }
    EXPECT_EQ(gradients(one), expected);
}

TEST_F(MicroBatches, TheFirstHalfTouchesNoGradientOfWeights) {
    PartModel<float> one = model(1, Recompute::none, true);
    one.load(weights_);
    forward(one, 0, 0);
    one.backward_input(0, 0);
    EXPECT_EQ(one.gradients(), std::vector<float>(one.gradients().size()));
}

TEST_F(MicroBatches, WithoutRecomputationTheGradientIsWrong) {
    const NamedValues expected = gradient_of<float>(weights_, data_[0]);
    for (const Recompute recompute : {Recompute::selective, Recompute::full}) {
        PartModel<float> one = model(1, recompute, false);
        one.load(weights_);
        forward(one, 0, 0);
        for (int unit = one.units(0); unit-- > 0;)
            one.part().run({.pass = Pass::backward, .unit = unit});
        EXPECT_NE(gradients(one), expected) << to_string(recompute);
    }
}

}  // namespace
}  // namespace shardstone::validation
