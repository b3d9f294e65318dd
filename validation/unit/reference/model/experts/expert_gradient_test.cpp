// SPDX-License-Identifier: BSD-3-Clause
// A mixture of experts against the oracle: gradients, and the sums that a forward pass reports.
#include "validation/unit/reference/model/experts/expert_models.hpp"

namespace shardstone::validation {
namespace {

std::string name_of(const GptConfig& config) {
    return reference::name_of(config.experts);
}

const MicroBatch data = random_batch(3, 10);

/// The bound is of a model whose positions choose as they do without rounding: weights that are
/// moved by as much as rounding moves them must change no choice.
void expect_clear_choices(const GptConfig& config, const NamedValues& weights, double u) {
    const NamedValues moved = moved_by(weights, u * chain_length(config, data));
    EXPECT_EQ(oracle::gpt_choices(config, weights, data), oracle::gpt_choices(config, moved, data))
        << name_of(config);
}

/// The worst of all gradients, in units of the bound.
template <class Real>
double share_of_bound(const GptConfig& config, Planted bug = Planted::none) {
    const NamedValues weights = lively_weights(config);
    const auto bounds = gradient_bounds(weights, data, roundoff<Real>, config);
    return worst_ratio(gradient_of<Real>(weights, data, config),
                       oracle::gpt_gradient(config, weights, data, bug), bounds);
}

TEST(ExpertGradient, DoubleEqualsOracle) {
    for (const GptConfig& config : mixtures()) {
        expect_clear_choices(config, lively_weights(config), roundoff<double>);
        EXPECT_LE(share_of_bound<double>(config), 1.0) << name_of(config);
    }
}

TEST(ExpertGradient, FloatEqualsOracle) {
    for (const GptConfig& config : mixtures()) {
        expect_clear_choices(config, lively_weights(config), roundoff<float>);
        EXPECT_LE(share_of_bound<float>(config), 1.0) << name_of(config);
    }
}

// Each planted error must be seen in float already, where there is something to see: gates of one
// expert alone are divided by themselves, and the last positions come first only in a rush.
TEST(ExpertGradient, PlantedErrorsAreSeen) {
    for (const GptConfig& config : mixtures()) {
        std::vector<Planted> bugs{Planted::experts_renormalised_gates,
                                  Planted::experts_no_gate_gradient, Planted::no_bias_gradient};
        if (config.experts.capacity > 0.0) {
            bugs.push_back(Planted::experts_balance_after_dropping);
            bugs.push_back(Planted::experts_later_first);
        }
        for (const Planted bug : bugs) {
            EXPECT_GT(share_of_bound<float>(config, bug), 1.0)
                << name_of(config) << " " << static_cast<int>(bug);
        }
    }
}

// Without its losses a router has other gradients.
TEST(ExpertGradient, IsOfTheRoutersLossesToo) {
    for (double reference::ExpertOptions::*factor :
         {&reference::ExpertOptions::balance, &reference::ExpertOptions::z}) {
        const GptConfig config = mixture(4, 2, 1.0);
        GptConfig other = config;
        other.experts.*factor = 0.0;
        const NamedValues weights = lively_weights(config);
        const auto bounds = gradient_bounds(weights, data, roundoff<float>, config);
        const NamedValues without = oracle::gpt_gradient(other, weights, data);
        EXPECT_GT(worst_ratio(gradient_of<float>(weights, data, config), without, bounds), 1.0);
        EXPECT_LE(worst_ratio(gradient_of<float>(weights, data, other), without, bounds), 1.0);
    }
}

TEST(ExpertGradient, ScalesWithTheLosses) {
    const GptConfig config = mixture(4, 2, 1.0);
    const NamedValues weights = lively_weights(config);
    Gpt<double> model(config, data.batch, data.sequence);
    load(model, weights);
    model.forward(data.tokens, data.targets);
    model.backward(0.25);  // a power of two: rounds alike
    NamedValues scaled = named_gradients(model);
    for (auto& [name, values] : scaled) {
        for (double& value : values) value *= 4.0;
    }
    EXPECT_EQ(scaled, gradient_of<double>(weights, data, config));
}

PartShape shape_for(Recompute recompute, bool splits_backward) {
    return {.micro_batch = data.batch,
            .sequence = data.sequence,
            .recompute = recompute,
            .splits_backward = splits_backward};
}

template <class Real>
void forward_and_back(PartModel<Real>& model, bool splits_backward) {
    model.part().load(0, 0, data.tokens, data.targets);
    model.forward(0, 0);
    if (splits_backward) {
        model.backward_input(0, 0);
        model.backward_weight(0, 0);
    } else {
        model.backward(0, 0);
    }
}

template <class Real>
NamedValues gradient_of_part(const GptConfig& config, const PartShape& shape) {
    PartModel<Real> model(config, reference::whole_model(config), shape);
    model.load(lively_weights(config));
    forward_and_back(model, shape.splits_backward);
    NamedValues named;
    model.add_gradients(named);
    return named;
}

TEST(ExpertGradient, NeitherRecomputationNorHalvesChangeABit) {
    for (const GptConfig& config : mixtures()) {
        const NamedValues expected = gradient_of<float>(lively_weights(config), data, config);
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
            for (const bool splits : {false, true}) {
                EXPECT_EQ(gradient_of_part<float>(config, shape_for(recompute, splits)), expected)
                    << name_of(config) << to_string(recompute) << splits;
            }
        }
    }
}

// Rows that nobody takes, and buffers that are there for more, hold what the micro-batch before has
// left: that of a step that has overflowed, even. Its gradients are thrown away, as then.
TEST(ExpertGradient, HasNothingOfAnOverflowBefore) {
    for (const GptConfig& config : mixtures()) {
        const NamedValues weights = lively_weights(config);
        const NamedValues expected = gradient_of<float>(weights, data, config);
        NamedValues spoilt = weights;
        for (double& value : spoilt.at("blocks.0.attention.projection.bias")) value = NAN;
        for (const bool splits : {false, true}) {
            const PartShape shape = shape_for(Recompute::none, splits);
            PartModel<float> model(config, reference::whole_model(config), shape);
            for (const bool overflows : {true, false}) {
                model.load(overflows ? spoilt : weights);
                std::ranges::fill(model.gradients(), 0.0F);
                forward_and_back(model, splits);
                NamedValues named;
                model.add_gradients(named);
                EXPECT_EQ(named == expected, !overflows) << name_of(config) << splits;
            }
        }
    }
}

/// Of a forward pass. The sums are, as the gradient is, at the end of a chain of k operations.
template <class Real>
void expect_figures(const GptConfig& config) {
    const NamedValues weights = lively_weights(config);
    PartModel<Real> model(config, reference::whole_model(config),
                          shape_for(Recompute::full, false));
    model.load(weights);
    model.part().load(0, 0, data.tokens, data.targets);
    const double loss = model.forward(0, 0);
    const auto figures = oracle::gpt_routing_figures(config, weights, data);
    const double ku = higher_orders * roundoff<Real> * chain_length(config, data);
    EXPECT_NEAR(loss, oracle::gpt_loss(config, weights, data), ku * loss);
    EXPECT_NEAR(model.sums().balance, figures.balance, ku * figures.balance) << name_of(config);
    EXPECT_NEAR(model.sums().router_z, figures.z, ku * figures.z) << name_of(config);
    EXPECT_EQ(model.sums().dropped, static_cast<double>(figures.dropped)) << name_of(config);
    EXPECT_EQ(figures.dropped > 0, config.experts.capacity > 0.0) << name_of(config);
    // What is computed again is not counted again.
    model.backward(0, 0);
    const reference::LossSums since = model.part().take_losses();
    for (const auto sum : reference::each_loss_sum) EXPECT_EQ(since.*sum, 0.0);
}

TEST(ExpertSums, AreTheFiguresOfTheOracle) {
    for (const GptConfig& config : mixtures()) {
        expect_figures<double>(config);
        expect_figures<float>(config);
    }
}

}  // namespace
}  // namespace shardstone::validation
