// SPDX-License-Identifier: BSD-3-Clause
// The AdamW update of a range of weights, with decoupled weight decay and bias correction.
#include "kernels/optimizer/adamw.hpp"

#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

namespace {

/// The step's constants, worked out once in double.
template <class Real>
struct Factors {
    Real gradient_scale, keep, beta1, new1, beta2, new2, step_size, inverse_root_correction,
        epsilon;

    Factors(const AdamwSettings& settings, const AdamwStep& step) {
        const auto t = static_cast<double>(step.step);
        const double correction1 = 1.0 - std::pow(settings.beta1, t);
        const double correction2 = 1.0 - std::pow(settings.beta2, t);
        gradient_scale = static_cast<Real>(step.gradient_scale);
        keep = static_cast<Real>(1.0 - step.learning_rate * settings.weight_decay);
        beta1 = static_cast<Real>(settings.beta1);
        new1 = static_cast<Real>(1.0 - settings.beta1);
        beta2 = static_cast<Real>(settings.beta2);
        new2 = static_cast<Real>(1.0 - settings.beta2);
        step_size = static_cast<Real>(step.learning_rate / correction1);
        inverse_root_correction = static_cast<Real>(1.0 / std::sqrt(correction2));
        epsilon = static_cast<Real>(settings.epsilon);
    }
};

template <class Real>
void update_block(const Factors<Real>& f, const ParameterRange<Real>& range, std::int64_t begin,
                  std::int64_t end) {
    Real* weights = range.weights.data();
    const Real* gradients = range.gradients.data();
    Real* first = range.first_moments.data();
    Real* second = range.second_moments.data();
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) {
        const Real g = f.gradient_scale * gradients[i];
        const Real m = f.beta1 * first[i] + f.new1 * g;
        const Real v = f.beta2 * second[i] + f.new2 * g * g;
        first[i] = m;
        second[i] = v;
        const Real denominator = std::sqrt(v) * f.inverse_root_correction + f.epsilon;
        weights[i] = f.keep * weights[i] - f.step_size * m / denominator;
    }
}

}  // namespace

template <class Real>
void adamw_update(HostQueue queue, const AdamwSettings& settings, const AdamwStep& step,
                  const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step.step >= 1);
    const Factors<Real> factors(settings, step);
    for_each_block(
        queue, static_cast<std::int64_t>(range.weights.size()),
        [=](std::int64_t begin, std::int64_t end) { update_block(factors, range, begin, end); });
}

template void adamw_update(HostQueue, const AdamwSettings&, const AdamwStep&,
                           const ParameterRange<float>&);
template void adamw_update(HostQueue, const AdamwSettings&, const AdamwStep&,
                           const ParameterRange<double>&);

}  // namespace shardstone
