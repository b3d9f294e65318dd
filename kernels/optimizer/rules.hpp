// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of each optimizer on one element, one text for the host and the GPU. The constants
// of a step are worked out in double; a Number is Real, or one on the GPU that rounds as it does.
// What a rule takes of the factors is known when its kernel runs.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/optimizer/adamw.hpp"
#include "kernels/optimizer/lamb.hpp"
#include "kernels/optimizer/lars.hpp"
#include "kernels/optimizer/momentum.hpp"
#include "kernels/optimizer/sgd.hpp"

namespace shardstone {

template <class Real>
struct AdamwRule {
    Real gradient_scale = 1, keep, beta1, new1, beta2, new2, step_size, inverse_root_correction,
         epsilon;

    AdamwRule(const AdamwSettings& settings, const AdamwStep& step);  // adamw.cpp

    constexpr void take(const FactorsAt& factors) {
        gradient_scale = static_cast<Real>(factors.gradient_scale());
    }

    template <class Number>
    constexpr void operator()(Number& weight, Number gradient, Number& first,
                              Number& second) const {
        using std::sqrt;
        const Number g = gradient_scale * gradient;
        const Number m = beta1 * first + new1 * g;
        const Number v = beta2 * second + new2 * g * g;
        first = m;
        second = v;
        const Number denominator = sqrt(v) * inverse_root_correction + epsilon;
        weight = keep * weight - step_size * m / denominator;
    }
};

template <class Real>
struct SgdRule {
    Real rate, decay, scale = 1;

    explicit SgdRule(const SgdStep& step)
        : rate(static_cast<Real>(step.learning_rate)),
          decay(static_cast<Real>(step.weight_decay)) {}

    constexpr void take(const FactorsAt& factors) {
        scale = static_cast<Real>(factors.gradient_scale());
    }

    template <class Number>
    constexpr void operator()(Number& weight, Number gradient) const {
        weight -= rate * (scale * gradient + decay * weight);
    }
};

template <class Real>
struct MomentumRule {
    Real rate, decay, scale = 1, momentum;
    Real fresh, kept;  ///< the step is fresh d + kept b: b alone, or d + momentum b

    MomentumRule(const MomentumSettings& settings, const MomentumStep& step)
        : rate(static_cast<Real>(step.learning_rate)),
          decay(static_cast<Real>(step.weight_decay)),
          momentum(static_cast<Real>(settings.momentum)),
          fresh(static_cast<Real>(settings.nesterov ? 1.0 : 0.0)),
          kept(settings.nesterov ? momentum : Real(1)) {}

    constexpr void take(const FactorsAt& factors) {
        scale = static_cast<Real>(factors.gradient_scale());
    }

    template <class Number>
    constexpr void operator()(Number& weight, Number gradient, Number& b) const {
        const Number d = scale * gradient + decay * weight;
        b = momentum * b + d;
        weight -= rate * (fresh * d + kept * b);
    }
};

template <class Real>
struct LarsRule {
    double learning_rate;
    Real rate = 0, momentum, decay, scale = 1;

    explicit LarsRule(const LarsStep& step)
        : learning_rate(step.learning_rate),
          momentum(static_cast<Real>(step.momentum)),
          decay(static_cast<Real>(step.weight_decay)) {}

    constexpr void take(const FactorsAt& factors) {
        rate = static_cast<Real>(learning_rate * factors.ratio());
        scale = static_cast<Real>(factors.gradient_scale());
    }

    template <class Number>
    constexpr void operator()(Number& weight, Number gradient, Number& b) const {
        b = momentum * b + rate * (scale * gradient + decay * weight);
        weight -= b;
    }
};

template <class Real>
struct LambMoments {
    Real scale = 1, beta1, new1, beta2, new2;

    explicit LambMoments(const LambSettings& settings)
        : beta1(static_cast<Real>(settings.beta1)),
          new1(static_cast<Real>(1.0 - settings.beta1)),
          beta2(static_cast<Real>(settings.beta2)),
          new2(static_cast<Real>(1.0 - settings.beta2)) {}

    constexpr void take(const FactorsAt& factors) {
        scale = static_cast<Real>(factors.gradient_scale());
    }

    template <class Number>
    constexpr void operator()(Number gradient, Number& first, Number& second) const {
        const Number g = scale * gradient;
        first = beta1 * first + new1 * g;
        second = beta2 * second + new2 * g * g;
    }
};

/// What makes u of an element's weight and moments.
template <class Real>
struct LambDirection {
    Real correction, inverse_root_correction, epsilon, decay;

    LambDirection(const LambSettings& settings, std::int64_t step) {
        const auto t = static_cast<double>(step);
        correction = static_cast<Real>(1.0 / (1.0 - std::pow(settings.beta1, t)));
        inverse_root_correction =
            static_cast<Real>(1.0 / std::sqrt(1.0 - std::pow(settings.beta2, t)));
        epsilon = static_cast<Real>(settings.epsilon);
        decay = static_cast<Real>(settings.weight_decay);
    }

    template <class Number>
    constexpr Number operator()(Number weight, Number first, Number second) const {
        using std::sqrt;
        return correction * first / (sqrt(second) * inverse_root_correction + epsilon) +
               decay * weight;
    }
};

template <class Real>
struct LambUpdate {
    LambDirection<Real> direction;
    double learning_rate;
    Real length = 0;

    constexpr void take(const FactorsAt& factors) {
        length = static_cast<Real>(learning_rate * factors.ratio());
    }

    template <class Number>
    constexpr void operator()(Number& weight, Number first, Number second) const {
        weight -= length * direction(weight, first, second);
    }
};

}  // namespace shardstone
