// SPDX-License-Identifier: BSD-3-Clause
// Plain SGD with weight decay, which keeps no optimizer state.
#include "kernels/optimizer/sgd.hpp"

#include "kernels/base/error.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

template <class Real>
void sgd_update(HostQueue queue, const SgdStep& step, std::span<Real> weights,
                std::span<const Real> gradients) {
    SHARDSTONE_EXPECTS(weights.size() == gradients.size());
    const auto rate = static_cast<Real>(step.learning_rate);
    const auto decay = static_cast<Real>(step.weight_decay);
    const auto scale = static_cast<Real>(step.gradient_scale);
    Real* w = weights.data();
    const Real* g = gradients.data();
    for_each_block(queue, static_cast<std::int64_t>(weights.size()),
                   [=](std::int64_t begin, std::int64_t end) {
#pragma omp simd
                       for (std::int64_t i = begin; i < end; ++i) {
                           w[i] -= rate * (scale * g[i] + decay * w[i]);
                       }
                   });
}

template void sgd_update(HostQueue, const SgdStep&, std::span<float>, std::span<const float>);
template void sgd_update(HostQueue, const SgdStep&, std::span<double>, std::span<const double>);

}  // namespace shardstone
