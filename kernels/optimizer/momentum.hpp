// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/optimizer/parameter_range.hpp"
#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

struct MomentumSettings {
    double momentum = 0.9;
    bool nesterov = false;
};

struct MomentumStep {
    double learning_rate = 0.0;
    double weight_decay = 0.0;
    FactorsAt factors{};
};

/// Gradient descent with momentum, elementwise: bitwise the same for any split of a range.
///   d = scale g + decay w;  b = momentum b + d;  w -= lr b             (heavy ball, Polyak 1964)
///                                                w -= lr (d + momentum b)          (Nesterov 1983)
/// in the form of Sutskever, Martens, Dahl and Hinton 2013 as PyTorch computes it: b is in units of
/// the gradient, so that a change of rate takes effect at once (Goyal et al. 2017, section 3.1). b
/// is the range's first moments.
template <class Real>
void momentum_update(HostQueue queue, const MomentumSettings& settings, const MomentumStep& step,
                     const ParameterRange<Real>& range);
template <class Real>
void momentum_update(CudaQueue queue, const MomentumSettings& settings, const MomentumStep& step,
                     const ParameterRange<Real, Cuda>& range);

extern template void momentum_update(HostQueue, const MomentumSettings&, const MomentumStep&,
                                     const ParameterRange<float>&);
extern template void momentum_update(HostQueue, const MomentumSettings&, const MomentumStep&,
                                     const ParameterRange<double>&);

}  // namespace shardstone
