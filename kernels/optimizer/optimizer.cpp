// SPDX-License-Identifier: BSD-3-Clause
// The one table of optimizers, and the dispatch from a kind to its update and trust ratio.
#include "kernels/optimizer/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/optimizer/adamw.hpp"
#include "kernels/optimizer/lamb.hpp"
#include "kernels/optimizer/lars.hpp"
#include "kernels/optimizer/momentum.hpp"
#include "kernels/optimizer/sgd.hpp"

namespace shardstone {

namespace {

using Kind = OptimizerKind;

/// In the order of OptimizerKind.
constexpr std::array<OptimizerTraits, 6> all_traits{{{"adamw", 2, false},
                                                     {"sgd", 0, false},
                                                     {"momentum", 1, false},
                                                     {"nesterov", 1, false},
                                                     {"lamb", 2, true},
                                                     {"lars", 1, true}}};

LambSettings lamb_settings(const OptimizerSettings& settings, const OptimizerStep& step) {
    return {settings.beta1, settings.beta2, LambSettings{}.epsilon, step.weight_decay};
}

double root(const SquareSum::Limbs& limbs) {
    return std::sqrt(SquareSum(limbs).value());
}

}  // namespace

const OptimizerTraits& traits_of(OptimizerKind kind) {
    return all_traits[static_cast<std::size_t>(kind)];
}

std::string to_string(OptimizerKind kind) {
    return traits_of(kind).name;
}

std::string optimizer_names() {
    std::string names;
    for (const OptimizerTraits& traits : all_traits) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", traits.name);
    }
    return names;
}

OptimizerKind parse_optimizer(const std::string& name) {
    const auto found = std::ranges::find_if(
        all_traits, [&](const OptimizerTraits& traits) { return traits.name == name; });
    require(found != all_traits.end(), [&] {
        return fmt::format("unknown optimizer '{}': use one of {}", name, optimizer_names());
    });
    return static_cast<OptimizerKind>(found - all_traits.begin());
}

template <class Real>
void update_range(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                  const ParameterRange<Real>& range) {
    const double rate = step.learning_rate;
    const double decay = step.weight_decay;
    const double scale = step.gradient_scale;
    switch (settings.kind) {
        case Kind::adamw:
            return adamw_update(queue,
                                {settings.beta1, settings.beta2, AdamwSettings{}.epsilon, decay},
                                {step.step, rate, scale}, range);
        case Kind::sgd:
            return sgd_update(queue, {rate, decay, scale}, range.weights, range.gradients);
        case Kind::momentum:
        case Kind::nesterov:
            return momentum_update(queue, {settings.momentum, settings.kind == Kind::nesterov},
                                   {rate, decay, scale}, range);
        case Kind::lamb:
            return lamb_update(queue, lamb_settings(settings, step), step.step, rate * step.ratio,
                               range);
        case Kind::lars:
            return lars_update(queue, {rate * step.ratio, settings.momentum, decay, scale}, range);
    }
}

template <class Real>
void prepare_update(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                    const ParameterRange<Real>& range) {
    if (settings.kind != Kind::lamb) return;
    lamb_moments(queue, lamb_settings(settings, step), step.gradient_scale, range);
}

template <class Real>
void add_squares(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                 const ParameterRange<Real>& range, TensorSquares& squares) {
    SHARDSTONE_EXPECTS(traits_of(settings.kind).adapts);
    add_squares<Real>(queue, range.weights, squares.weights);
    if (settings.kind == Kind::lars) {
        return add_squares<Real>(queue, range.gradients, squares.updates);
    }
    SquareSum sum(squares.updates);
    lamb_squares(queue, lamb_settings(settings, step), step.step, range, sum);
    squares.updates = sum.limbs();
}

double trust_ratio(const OptimizerSettings& settings, const OptimizerStep& step,
                   const TensorSquares& squares) {
    SHARDSTONE_EXPECTS(traits_of(settings.kind).adapts);
    const double weights = root(squares.weights);
    const double updates = root(squares.updates);
    if (settings.kind == Kind::lamb) return lamb_ratio(weights, updates);
    return lars_ratio(settings.trust, step.weight_decay, weights, step.gradient_scale * updates);
}

template void update_range(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                           const ParameterRange<float>&);
template void update_range(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                           const ParameterRange<double>&);
template void prepare_update(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                             const ParameterRange<float>&);
template void prepare_update(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                             const ParameterRange<double>&);
template void add_squares(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                          const ParameterRange<float>&, TensorSquares&);
template void add_squares(HostQueue, const OptimizerSettings&, const OptimizerStep&,
                          const ParameterRange<double>&, TensorSquares&);

}  // namespace shardstone
