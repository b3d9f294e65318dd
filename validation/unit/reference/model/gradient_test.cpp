// SPDX-License-Identifier: BSD-3-Clause
// The whole model's gradient against the oracle, against finite differences, and float against
// double.
#include <functional>

#include "validation/unit/reference/model/small_model.hpp"

namespace shardstone::validation {
namespace {

class Gradient : public testing::Test {
  protected:
    const NamedValues weights_ = lively_weights(small_config);
    const MicroBatch data_ = random_batch(3, 10);
};

TEST_F(Gradient, DoubleEqualsOracle) {
    const auto bounds = gradient_bounds(weights_, data_, roundoff<double>);
    const NamedValues actual = gradient_of<double>(weights_, data_);
    EXPECT_LE(worst_ratio(actual, oracle::gpt_gradient(small_config, weights_, data_), bounds),
              1.0);
}

TEST_F(Gradient, FloatEqualsDoubleAndOracle) {
    const auto bounds = gradient_bounds(weights_, data_, roundoff<float>);
    const NamedValues actual = gradient_of<float>(weights_, data_);
    EXPECT_LE(worst_ratio(actual, gradient_of<double>(weights_, data_), bounds), 1.0);
    EXPECT_LE(worst_ratio(actual, oracle::gpt_gradient(small_config, weights_, data_), bounds),
              1.0);
}

// Each planted error must be seen in float already.
TEST_F(Gradient, PlantedErrorsAreSeen) {
    const auto bounds = gradient_bounds(weights_, data_, roundoff<float>);
    const NamedValues actual = gradient_of<float>(weights_, data_);
    for (const Planted bug :
         {Planted::layernorm_without_mean_term, Planted::layernorm_without_variance_term,
          Planted::mask_off_by_one, Planted::gelu_without_cubic_term, Planted::no_tied_head,
          Planted::no_bias_gradient}) {
        const NamedValues wrong = oracle::gpt_gradient(small_config, weights_, data_, bug);
        EXPECT_GT(worst_ratio(actual, wrong, bounds), 1.0) << static_cast<int>(bug);
    }
}

// Central differences at h and h/2: their difference is 3 times the truncation error of the finer
// one (h^2 f'''/24), up to order h^4; the loss, a sum of N terms of about log V, comes with a
// rounding error of about sqrt(k) u of itself, taken as 32 u, divided by h.
void expect_equals_differences(const std::function<double(const NamedValues&)>& loss,
                               NamedValues weights, const NamedValues& gradient) {
    constexpr double h = 0x1p-12;
    const double rounding = 32.0 * 0x1p-53 * loss(weights) / h;
    for (auto& [name, values] : weights) {
        const std::size_t stride = std::max<std::size_t>(1, values.size() / 7);
        for (std::size_t i = 0; i < values.size(); i += stride) {
            const double kept = values[i];
            const auto difference = [&](double step) {
                values[i] = kept + step;
                const double above = loss(weights);
                values[i] = kept - step;
                const double below = loss(weights);
                values[i] = kept;
                return (above - below) / (2.0 * step);
            };
            const double coarse = difference(h), fine = difference(h / 2.0);
            ASSERT_NEAR(fine, gradient.at(name)[i], std::abs(coarse - fine) + 2.0 * rounding)
                << name << "[" << i << "]";
        }
    }
}

TEST_F(Gradient, OracleEqualsFiniteDifferences) {
    const auto loss = [&](const NamedValues& w) {
        return oracle::gpt_loss(small_config, w, data_);
    };
    expect_equals_differences(loss, weights_, oracle::gpt_gradient(small_config, weights_, data_));
}

TEST_F(Gradient, DoubleEqualsFiniteDifferences) {
    Gpt<double> model(small_config, data_.batch, data_.sequence);
    const auto loss = [&](const NamedValues& w) {
        load(model, w);
        return model.forward(data_.tokens, data_.targets);
    };
    expect_equals_differences(loss, weights_, gradient_of<double>(weights_, data_));
}

TEST_F(Gradient, LossEqualsOracleAndProbabilities) {
    Gpt<double> model(small_config, data_.batch, data_.sequence);
    load(model, weights_);
    const double loss = model.forward(data_.tokens, data_.targets);
    // The same chain of k operations as for the gradient, here on a sum of N logarithms.
    const double bound = 1000.0 * roundoff<double> * loss;
    EXPECT_NEAR(loss, oracle::gpt_loss(small_config, weights_, data_), bound);
    const auto p = model.probabilities();
    double from_probabilities = 0.0;
    for (std::size_t r = 0; r < data_.targets.size(); ++r) {
        from_probabilities -= std::log(p[r * static_cast<std::size_t>(small_config.vocabulary) +
                                         static_cast<std::size_t>(data_.targets[r])]);
    }
    EXPECT_NEAR(loss, from_probabilities, bound);
}

}  // namespace
}  // namespace shardstone::validation
