// SPDX-License-Identifier: BSD-3-Clause
// The LAMB update in its three steps: moments, squares of the direction, weights.
#include "kernels/optimizer/lamb.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

namespace {

/// What makes u of an element's weight and moments; constants worked out once in double.
template <class Real>
struct Direction {
    Real correction, inverse_root_correction, epsilon, decay;

    Direction(const LambSettings& settings, std::int64_t step) {
        const auto t = static_cast<double>(step);
        correction = static_cast<Real>(1.0 / (1.0 - std::pow(settings.beta1, t)));
        inverse_root_correction =
            static_cast<Real>(1.0 / std::sqrt(1.0 - std::pow(settings.beta2, t)));
        epsilon = static_cast<Real>(settings.epsilon);
        decay = static_cast<Real>(settings.weight_decay);
    }

    Real operator()(Real w, Real m, Real v) const {
        return correction * m / (std::sqrt(v) * inverse_root_correction + epsilon) + decay * w;
    }
};

}  // namespace

template <class Real>
void lamb_moments(HostQueue queue, const LambSettings& settings, double gradient_scale,
                  const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2));
    const auto scale = static_cast<Real>(gradient_scale);
    const auto beta1 = static_cast<Real>(settings.beta1);
    const auto new1 = static_cast<Real>(1.0 - settings.beta1);
    const auto beta2 = static_cast<Real>(settings.beta2);
    const auto new2 = static_cast<Real>(1.0 - settings.beta2);
    for_each_block(queue, static_cast<std::int64_t>(range.weights.size()),
                   [=](std::int64_t begin, std::int64_t end) {
                       const Real* gradients = range.gradients.data();
                       Real* m = range.first_moments.data();
                       Real* v = range.second_moments.data();
#pragma omp simd
                       for (std::int64_t i = begin; i < end; ++i) {
                           const Real g = scale * gradients[i];
                           m[i] = beta1 * m[i] + new1 * g;
                           v[i] = beta2 * v[i] + new2 * g * g;
                       }
                   });
}

template <class Real>
void lamb_squares(HostQueue, const LambSettings& settings, std::int64_t step,
                  const ParameterRange<Real>& range, SquareSum& sum) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step >= 1);
    const Direction<Real> direction(settings, step);
    std::array<Real, 1024> u;
    for (std::size_t begin = 0; begin < range.weights.size(); begin += u.size()) {
        const std::size_t count = std::min(u.size(), range.weights.size() - begin);
        const Real* w = range.weights.data() + begin;
        const Real* m = range.first_moments.data() + begin;
        const Real* v = range.second_moments.data() + begin;
#pragma omp simd
        for (std::size_t i = 0; i < count; ++i) u[i] = direction(w[i], m[i], v[i]);
        sum.add(std::span<const Real>(u.data(), count));
    }
}

template <class Real>
void lamb_update(HostQueue queue, const LambSettings& settings, std::int64_t step, double rate,
                 const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step >= 1);
    const Direction<Real> direction(settings, step);
    const auto length = static_cast<Real>(rate);
    for_each_block(queue, static_cast<std::int64_t>(range.weights.size()),
                   [=](std::int64_t begin, std::int64_t end) {
                       Real* w = range.weights.data();
                       const Real* m = range.first_moments.data();
                       const Real* v = range.second_moments.data();
#pragma omp simd
                       for (std::int64_t i = begin; i < end; ++i) {
                           w[i] -= length * direction(w[i], m[i], v[i]);
                       }
                   });
}

template void lamb_moments(HostQueue, const LambSettings&, double, const ParameterRange<float>&);
template void lamb_moments(HostQueue, const LambSettings&, double, const ParameterRange<double>&);
template void lamb_squares(HostQueue, const LambSettings&, std::int64_t,
                           const ParameterRange<float>&, SquareSum&);
template void lamb_squares(HostQueue, const LambSettings&, std::int64_t,
                           const ParameterRange<double>&, SquareSum&);
template void lamb_update(HostQueue, const LambSettings&, std::int64_t, double,
                          const ParameterRange<float>&);
template void lamb_update(HostQueue, const LambSettings&, std::int64_t, double,
                          const ParameterRange<double>&);

double lamb_ratio(double weight_norm, double direction_norm) {
    if (weight_norm == 0.0 || direction_norm == 0.0) return 1.0;
    return weight_norm / direction_norm;
}

}  // namespace shardstone
