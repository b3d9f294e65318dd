// SPDX-License-Identifier: BSD-3-Clause
// From a kind of optimizer to its kernels, for the one file per memory space that instantiates it.
#pragma once

#include "kernels/base/error.hpp"
#include "kernels/optimizer/adamw.hpp"
#include "kernels/optimizer/lamb.hpp"
#include "kernels/optimizer/lars.hpp"
#include "kernels/optimizer/momentum.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "kernels/optimizer/sgd.hpp"

namespace shardstone::detail {

inline LambSettings lamb_settings(const OptimizerSettings& settings, const OptimizerStep& step) {
    return {settings.beta1, settings.beta2, LambSettings{}.epsilon, step.weight_decay};
}

template <class Real, class Space>
void update_range(typename Space::Queue queue, const OptimizerSettings& settings,
                  const OptimizerStep& step, const ParameterRange<Real, Space>& range) {
    using Kind = OptimizerKind;
    const double rate = step.learning_rate;
    const double decay = step.weight_decay;
    const FactorsAt& factors = step.factors;
    switch (settings.kind) {
        case Kind::adamw:
            return adamw_update(queue,
                                {settings.beta1, settings.beta2, AdamwSettings{}.epsilon, decay},
                                {step.step, rate, factors}, range);
        case Kind::sgd:
            return sgd_update(queue, {rate, decay, factors}, range.weights, range.gradients);
        case Kind::momentum:
        case Kind::nesterov:
            return momentum_update(queue, {settings.momentum, settings.kind == Kind::nesterov},
                                   {rate, decay, factors}, range);
        case Kind::lamb:
            return lamb_update(queue, lamb_settings(settings, step), step.step, rate, factors,
                               range);
        case Kind::lars:
            return lars_update(queue, {rate, settings.momentum, decay, factors}, range);
    }
}

template <class Real, class Space>
void prepare_update(typename Space::Queue queue, const OptimizerSettings& settings,
                    const OptimizerStep& step, const ParameterRange<Real, Space>& range) {
    if (settings.kind != OptimizerKind::lamb) return;
    lamb_moments(queue, lamb_settings(settings, step), step.factors, range);
}

template <class Real, class Space>
void add_squares(typename Space::Queue queue, const OptimizerSettings& settings,
                 const OptimizerStep& step, const ParameterRange<Real, Space>& range,
                 TensorSquares& squares) {
    SHARDSTONE_EXPECTS(traits_of(settings.kind).adapts);
    shardstone::add_squares<Real>(queue, range.weights, squares.weights);
    if (settings.kind == OptimizerKind::lars) {
        return shardstone::add_squares<Real>(queue, range.gradients, squares.updates);
    }
    lamb_squares(queue, lamb_settings(settings, step), step.step, range, squares.updates);
}

/// From norms of the whole tensor. A Number is as for lars_ratio().
template <class Number>
constexpr double trust_ratio(const OptimizerSettings& settings, const OptimizerStep& step,
                             double weight_norm, double update_norm) {
    if (settings.kind == OptimizerKind::lamb) return lamb_ratio(weight_norm, update_norm);
    const Number scaled = Number(step.factors.gradient_scale()) * Number(update_norm);
    return static_cast<double>(lars_ratio(settings.trust, step.weight_decay, weight_norm, scaled));
}

}  // namespace shardstone::detail
