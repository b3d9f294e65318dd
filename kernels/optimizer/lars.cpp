// SPDX-License-Identifier: BSD-3-Clause
// The LARS update of a range of weights, and the trust ratio of a tensor.
#include "kernels/optimizer/lars.hpp"

#include "kernels/base/error.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

template <class Real>
void lars_update(HostQueue queue, const LarsStep& step, const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(1));
    const auto rate = static_cast<Real>(step.learning_rate);
    const auto momentum = static_cast<Real>(step.momentum);
    const auto decay = static_cast<Real>(step.weight_decay);
    const auto scale = static_cast<Real>(step.gradient_scale);
    for_each_block(queue, static_cast<std::int64_t>(range.weights.size()),
                   [=](std::int64_t begin, std::int64_t end) {
                       Real* w = range.weights.data();
                       const Real* g = range.gradients.data();
                       Real* b = range.first_moments.data();
#pragma omp simd
                       for (std::int64_t i = begin; i < end; ++i) {
                           b[i] = momentum * b[i] + rate * (scale * g[i] + decay * w[i]);
                           w[i] -= b[i];
                       }
                   });
}

template void lars_update(HostQueue, const LarsStep&, const ParameterRange<float>&);
template void lars_update(HostQueue, const LarsStep&, const ParameterRange<double>&);

double lars_ratio(double trust, double weight_decay, double weight_norm, double gradient_norm) {
    if (weight_norm == 0.0 || gradient_norm == 0.0) return 1.0;
    return trust * weight_norm / (gradient_norm + weight_decay * weight_norm);
}

}  // namespace shardstone
