// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

struct SgdStep {
    double learning_rate = 0.0;
    double weight_decay = 0.0;
    FactorsAt factors{};
};

/// w -= lr (scale g + decay w), elementwise: bitwise the same for any split of a range.
template <class Real>
void sgd_update(HostQueue queue, const SgdStep& step, std::span<Real> weights,
                std::span<const Real> gradients);
template <class Real>
void sgd_update(CudaQueue queue, const SgdStep& step, Cuda::Span<Real> weights,
                Cuda::Span<const Real> gradients);

extern template void sgd_update(HostQueue, const SgdStep&, std::span<float>,
                                std::span<const float>);
extern template void sgd_update(HostQueue, const SgdStep&, std::span<double>,
                                std::span<const double>);

}  // namespace shardstone
