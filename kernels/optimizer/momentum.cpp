// SPDX-License-Identifier: BSD-3-Clause
// SGD with heavy-ball or Nesterov momentum on a range of weights.
#include "kernels/optimizer/momentum.hpp"

#include "kernels/base/error.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

template <class Real>
void momentum_update(HostQueue queue, const MomentumSettings& settings, const MomentumStep& step,
                     const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(1));
    const auto rate = static_cast<Real>(step.learning_rate);
    const auto decay = static_cast<Real>(step.weight_decay);
    const auto scale = static_cast<Real>(step.gradient_scale);
    const auto momentum = static_cast<Real>(settings.momentum);
    // The step is fresh d + kept b: b alone, or d + momentum b.
    const auto fresh = static_cast<Real>(settings.nesterov ? 1.0 : 0.0);
    const auto kept = settings.nesterov ? momentum : Real(1);
    for_each_block(queue, static_cast<std::int64_t>(range.weights.size()),
                   [=](std::int64_t begin, std::int64_t end) {
                       Real* w = range.weights.data();
                       const Real* g = range.gradients.data();
                       Real* b = range.first_moments.data();
#pragma omp simd
                       for (std::int64_t i = begin; i < end; ++i) {
                           const Real d = scale * g[i] + decay * w[i];
                           b[i] = momentum * b[i] + d;
                           w[i] -= rate * (fresh * d + kept * b[i]);
                       }
                   });
}

template void momentum_update(HostQueue, const MomentumSettings&, const MomentumStep&,
                              const ParameterRange<float>&);
template void momentum_update(HostQueue, const MomentumSettings&, const MomentumStep&,
                              const ParameterRange<double>&);

}  // namespace shardstone
