// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/optimizer/parameter_range.hpp"
#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

struct AdamwSettings {
    double beta1 = 0.9;
    double beta2 = 0.95;
    double epsilon = 1e-8;
    double weight_decay = 0.1;  ///< for ranges that decay; give 0 for the others
};

/// Parameters of one update besides the settings.
struct AdamwStep {
    std::int64_t step = 1;  ///< counted from 1, for the bias correction
    double learning_rate = 0.0;
    FactorsAt factors{};
};

/// AdamW (Loshchilov and Hutter 2019, algorithm 2, as PyTorch computes it), element by element:
///   w -= lr decay w;  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
///   w -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + epsilon)
/// Each element's result depends on that element alone: bitwise the same for any split of a range.
template <class Real>
void adamw_update(HostQueue queue, const AdamwSettings& settings, const AdamwStep& step,
                  const ParameterRange<Real>& range);
template <class Real>
void adamw_update(CudaQueue queue, const AdamwSettings& settings, const AdamwStep& step,
                  const ParameterRange<Real, Cuda>& range);

extern template void adamw_update(HostQueue, const AdamwSettings&, const AdamwStep&,
                                  const ParameterRange<float>&);
extern template void adamw_update(HostQueue, const AdamwSettings&, const AdamwStep&,
                                  const ParameterRange<double>&);

}  // namespace shardstone
