// SPDX-License-Identifier: BSD-3-Clause
// Trained or initial weights with batches, and their gradients in FP64 and under a policy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/interrupt.hpp"
#include "reference/data/sampler.hpp"
#include "reference/model/gpt.hpp"
#include "reference/trainer/trainer.hpp"
#include "validation/numerics/gradients.hpp"
#include "validation/numerics/language.hpp"

namespace shardstone::validation {

using namespace reference;

namespace {

constexpr std::uint64_t seed = 1;
constexpr std::size_t batch_count = 8;
constexpr std::int64_t sequences = 4;

std::vector<oracle::MicroBatch> batches_of(const Dataset& text, std::int64_t sequence) {
    const Sampler sampler(text.train(), sequence, seed);
    std::vector<oracle::MicroBatch> batches;
    for (std::size_t b = 0; b < batch_count; ++b) {
        const auto count = static_cast<std::size_t>(sequences * sequence);
        oracle::MicroBatch batch{sequences, sequence, std::vector<std::uint16_t>(count),
                                 std::vector<std::int32_t>(count)};
        sampler.fill(static_cast<std::int64_t>(b), 0, batch.tokens, batch.targets);
        batches.push_back(std::move(batch));
    }
    return batches;
}

double counting(const oracle::MicroBatch& batch) {
    return static_cast<double>(
        std::ranges::count_if(batch.targets, [](auto target) { return target >= 0; }));
}

/// Gradient of the mean loss times `scale`, with `scale` divided out.
template <class Real>
std::vector<double> gradient(Gpt<Real>& model, const oracle::MicroBatch& batch, double scale) {
    std::ranges::fill(model.gradients(), Real(0));
    model.forward(batch.tokens, batch.targets);
    model.backward(scale / counting(batch));
    std::vector<double> result;
    for (const Real value : model.gradients()) {
        result.push_back(static_cast<double>(value) / scale);
    }
    return result;
}

template <class Real>
Gpt<Real> model_at(const GradientPoint& point, std::span<const double> weights,
                   const oracle::MicroBatch& batch, const Precision& policy) {
    Gpt<Real> model(point.model, batch.batch, batch.sequence, policy);
    const std::vector<Real> values(weights.begin(), weights.end());
    model.set_weights(values);
    return model;
}

std::vector<double> weights_after(const collectives::Communicator& alone,
                                  const TrainOptions& options, const Dataset& text) {
    Trainer<float> trainer(alone, options, text, checked_step_program(options, 0));
    for (std::int64_t step = 0; step < options.steps && !interrupted(); ++step) {
        trainer.step();
    }
    std::vector<double> weights;
    for (const Range& held : trainer.memory().held_weights()) {
        const auto values = trainer.memory().copy_of_weights(held);
        weights.insert(weights.end(), values.begin(), values.end());
    }
    return weights;
}

}  // namespace

std::vector<double> fp64_gradient(const GradientPoint& point, std::span<const double> weights,
                                  const oracle::MicroBatch& batch) {
    auto model = model_at<double>(point, weights, batch, {});
    return gradient(model, batch, 1.0);
}

GradientOf gradient_under(const Precision& policy) {
    return [policy](const GradientPoint& point, std::span<const double> weights,
                    const oracle::MicroBatch& batch) {
        using Kind = LossScaling::Kind;
        auto model = model_at<float>(point, weights, batch, policy);
        if (policy.fp8_products) {  // a pass before, for the scales to follow
            gradient(model, batch, 1.0);
            model.end_step();
        }
        const bool scales = policy.scaling.kind != Kind::none;
        for (double scale = scales ? policy.scaling.initial : 1.0;; scale /= 2.0) {
            auto found = gradient(model, batch, scale);
            const bool finite =
                std::ranges::all_of(found, [](double value) { return std::isfinite(value); });
            if (finite || policy.scaling.kind != Kind::dynamic || scale <= 1.0) return found;
        }
    };
}

std::string gradient_state(std::int64_t steps) {
    return steps > 0 ? fmt::format("after {} steps", steps) : "initial";
}

std::size_t gradient_numbers(const GptConfig& model) {
    return ParameterLayout(model).parameters().size() * (4 + batch_count);
}

GradientPoint gradient_point(const collectives::Communicator& alone, const GptConfig& model,
                             std::int64_t steps) {
    const MarkovLanguage language(1, 8, 1);
    const Dataset text = text_in(language, 50000, 0);
    TrainOptions options = language_training(model, std::max<std::int64_t>(steps, 1), {}, seed);
    options.steps = steps;
    GradientPoint point{model, gradient_state(steps), weights_after(alone, options, text),
                        batches_of(text, options.batch.sequence)};
    return point;
}

}  // namespace shardstone::validation
