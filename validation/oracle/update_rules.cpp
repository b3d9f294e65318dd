// SPDX-License-Identifier: BSD-3-Clause
// One optimizer step for each method in the arithmetic of training, so that bits can be compared.
#include "validation/oracle/update_rules.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "kernels/base/error.hpp"

namespace shardstone::validation::oracle {

namespace {

/// Adam's direction of element i from its moments, bias corrected, without decay.
template <class Real>
struct AdamDirection {
    AdamDirection(const UpdateRule& rule, double first_factor, double epsilon_value)
        : first(static_cast<Real>(first_factor)),
          second(static_cast<Real>(
              1.0 / std::sqrt(1.0 - std::pow(rule.beta2, static_cast<double>(rule.step))))),
          epsilon(static_cast<Real>(epsilon_value)) {}

    Real at(const TensorState<Real>& tensor, std::size_t i) const {
        return first * tensor.first[i] / (std::sqrt(tensor.second[i]) * second + epsilon);
    }

    Real first, second, epsilon;
};

template <class Real>
void adam_moments(const UpdateRule& rule, const TensorState<Real>& tensor) {
    const auto keep1 = static_cast<Real>(rule.beta1), keep2 = static_cast<Real>(rule.beta2);
    const auto take1 = static_cast<Real>(1.0 - rule.beta1);
    const auto take2 = static_cast<Real>(1.0 - rule.beta2);
    for (std::size_t i = 0; i < tensor.weights.size(); ++i) {
        const Real g = static_cast<Real>(rule.clip) * tensor.gradients[i];
        tensor.first[i] = keep1 * tensor.first[i] + take1 * g;
        tensor.second[i] = keep2 * tensor.second[i] + take2 * g * g;
    }
}

double first_correction(const UpdateRule& rule) {
    return 1.0 - std::pow(rule.beta1, static_cast<double>(rule.step));
}

template <class Real>
void adamw(const UpdateRule& rule, const TensorState<Real>& tensor) {
    adam_moments(rule, tensor);
    const AdamDirection<Real> move(rule, rule.rate / first_correction(rule), 1e-8);
    const auto keep = static_cast<Real>(1.0 - rule.rate * rule.decay);
    for (std::size_t i = 0; i < tensor.weights.size(); ++i) {
        tensor.weights[i] = keep * tensor.weights[i] - move.at(tensor, i);
    }
}

template <class Real>
double norm_of(std::span<const Real> values) {
    Norm norm;
    norm.add(values);
    return norm.value();
}

/// |w| / |u| of a matrix; 1 where one of them is 0, and for the others.
double lamb_trust(const UpdateRule& rule, double weights, double direction) {
    if (!rule.matrix || weights == 0.0 || direction == 0.0) return 1.0;
    return weights / direction;
}

template <class Real>
void lamb(const UpdateRule& rule, const TensorState<Real>& tensor) {
    adam_moments(rule, tensor);
    const AdamDirection<Real> adam(rule, 1.0 / first_correction(rule), 1e-6);
    std::vector<Real> direction(tensor.weights.size());
    for (std::size_t i = 0; i < direction.size(); ++i) {
        direction[i] = adam.at(tensor, i) + static_cast<Real>(rule.decay) * tensor.weights[i];
    }
    const double trust =
        lamb_trust(rule, norm_of<Real>(tensor.weights), norm_of(std::span<const Real>(direction)));
    const auto rate = static_cast<Real>(rule.rate * trust);
    for (std::size_t i = 0; i < direction.size(); ++i) {
        tensor.weights[i] -= rate * direction[i];
    }
}

/// trust |w| / (|g| + decay |w|) of a matrix; 1 where a norm is 0, and for the others.
double lars_trust(const UpdateRule& rule, double weights, double gradients) {
    const double clipped = rule.clip * gradients;
    if (!rule.matrix || weights == 0.0 || clipped == 0.0) return 1.0;
    return rule.trust * weights / (clipped + rule.decay * weights);
}

/// Gradient with decay: what plain, heavy-ball, Nesterov's and LARS' descent go by.
template <class Real>
Real slope(const UpdateRule& rule, const TensorState<Real>& tensor, std::size_t i) {
    return static_cast<Real>(rule.clip) * tensor.gradients[i] +
           static_cast<Real>(rule.decay) * tensor.weights[i];
}

template <class Real>
void lars(const UpdateRule& rule, const TensorState<Real>& tensor) {
    const double trust = lars_trust(rule, norm_of<Real>(tensor.weights), norm_of(tensor.gradients));
    const auto rate = static_cast<Real>(rule.rate * trust);
    for (std::size_t i = 0; i < tensor.weights.size(); ++i) {
        Real& velocity = tensor.first[i];
        velocity = static_cast<Real>(rule.momentum) * velocity + rate * slope(rule, tensor, i);
        tensor.weights[i] -= velocity;
    }
}

template <class Real>
void descend(const UpdateRule& rule, const TensorState<Real>& tensor) {
    const auto rate = static_cast<Real>(rule.rate);
    const auto momentum = static_cast<Real>(rule.momentum);
    for (std::size_t i = 0; i < tensor.weights.size(); ++i) {
        const Real d = slope(rule, tensor, i);
        Real step = d;
        if (rule.method != Method::sgd) {
            Real& velocity = tensor.first[i];
            velocity = momentum * velocity + d;
            step = rule.method == Method::nesterov ? d + momentum * velocity : velocity;
        }
        tensor.weights[i] -= rate * step;
    }
}

}  // namespace

double rate_at(const RateRule& rule, std::int64_t step) {
    const auto now = static_cast<double>(step);
    const auto warm = static_cast<double>(rule.warmup), end = static_cast<double>(rule.steps);
    if (now < warm) return rule.peak * now / warm;
    if (!rule.falls) return rule.peak;
    if (now >= end) return rule.least;
    const double turn = std::numbers::pi * ((now - warm) / (end - warm));
    return rule.least + 0.5 * (rule.peak - rule.least) * (1.0 + std::cos(turn));
}

template <class Real>
void Norm::add(std::span<const Real> values) {
    for (const Real each : values) {
        const double value = each;
        if (!(std::abs(value) <= 0x1p20)) {
            countable_ = false;
            return;
        }
        const double square = value * value;
        about_ += square;
        require(about_ < 0x1p36, "this oracle's norms end at 2^18: give it a smaller model");
        units_ += static_cast<Wide>(std::nearbyint(square * 0x1p90));
    }
}

double Norm::value() const {
    if (!countable_) return std::numeric_limits<double>::quiet_NaN();
    constexpr int digits = 50;
    constexpr Wide below = (Wide{1} << digits) - 1;
    const auto low = static_cast<double>(units_ & below);
    const auto middle = static_cast<double>((units_ >> digits) & below);
    const auto high = static_cast<double>(units_ >> (2 * digits));
    return std::sqrt(high * 0x1p10 + (middle * 0x1p-40 + low * 0x1p-90));
}

double clipping(double norm, double limit) {
    if (!std::isfinite(norm)) return std::numeric_limits<double>::quiet_NaN();
    if (limit <= 0.0 || norm <= limit) return 1.0;
    return limit / norm;
}

template <class Real>
void update(const UpdateRule& rule, const TensorState<Real>& tensor) {
    switch (rule.method) {
        case Method::adamw:
            return adamw(rule, tensor);
        case Method::lamb:
            return lamb(rule, tensor);
        case Method::lars:
            return lars(rule, tensor);
        case Method::sgd:
        case Method::momentum:
        case Method::nesterov:
            return descend(rule, tensor);
    }
}

template void Norm::add(std::span<const float>);
template void Norm::add(std::span<const double>);
template void update(const UpdateRule&, const TensorState<float>&);
template void update(const UpdateRule&, const TensorState<double>&);

}  // namespace shardstone::validation::oracle
