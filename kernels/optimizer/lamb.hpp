// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/parameter_range.hpp"
#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

struct LambSettings {
    double beta1 = 0.9;
    double beta2 = 0.95;
    double epsilon = 1e-6;      ///< as in the paper
    double weight_decay = 0.1;  ///< for tensors that decay; give 0 for the others
};

// LAMB (You et al. 2020, "Large Batch Optimization for Deep Learning", algorithm 2 with the
// identity for phi), in three steps, because the norm of a tensor's direction u has to be known
// before its weights can change:
//   m = b1 m + (1 - b1) scale g;  v = b2 v + (1 - b2) (scale g)^2                  lamb_moments
//   u = m / (1 - b1^t) / (sqrt(v) / sqrt(1 - b2^t) + epsilon) + decay w,  sum u^2  lamb_squares
//   w -= lr ratio u,  ratio = |w| / |u|                                            lamb_update
// u is computed twice and not stored. All operations are elementwise, and the sum of squares is
// exact: the result is bitwise the same for any split of a tensor, provided that the ratio is that
// of the whole tensor. Step t counts from 1.

template <class Real>
void lamb_moments(HostQueue queue, const LambSettings& settings, const FactorsAt& factors,
                  const ParameterRange<Real>& range);
template <class Real>
void lamb_moments(CudaQueue queue, const LambSettings& settings, const FactorsAt& factors,
                  const ParameterRange<Real, Cuda>& range);

/// Adds the squares of u to a sum in the queue's memory space, as add_squares() does. The moments
/// are those of this step; gradients are not read.
template <class Real>
void lamb_squares(HostQueue queue, const LambSettings& settings, std::int64_t step,
                  const ParameterRange<Real>& range, SquareSum::Limbs& sum);
template <class Real>
void lamb_squares(CudaQueue queue, const LambSettings& settings, std::int64_t step,
                  const ParameterRange<Real, Cuda>& range, SquareSum::Limbs& sum);

/// `rate` is the learning rate without the ratio, which is one of the factors.
template <class Real>
void lamb_update(HostQueue queue, const LambSettings& settings, std::int64_t step, double rate,
                 const FactorsAt& factors, const ParameterRange<Real>& range);
template <class Real>
void lamb_update(CudaQueue queue, const LambSettings& settings, std::int64_t step, double rate,
                 const FactorsAt& factors, const ParameterRange<Real, Cuda>& range);

/// |w| / |u|, with the norms of the whole tensor; 1 if either is 0, so that tensors initialised to
/// zero can change. Normalisation parameters and biases have no ratio: it is 1 and they do not
/// decay, as in the paper's published code.
constexpr double lamb_ratio(double weight_norm, double direction_norm) {
    if (weight_norm == 0.0 || direction_norm == 0.0) return 1.0;
    return weight_norm / direction_norm;
}

extern template void lamb_moments(HostQueue, const LambSettings&, const FactorsAt&,
                                  const ParameterRange<float>&);
extern template void lamb_moments(HostQueue, const LambSettings&, const FactorsAt&,
                                  const ParameterRange<double>&);
extern template void lamb_squares(HostQueue, const LambSettings&, std::int64_t,
                                  const ParameterRange<float>&, SquareSum::Limbs&);
extern template void lamb_squares(HostQueue, const LambSettings&, std::int64_t,
                                  const ParameterRange<double>&, SquareSum::Limbs&);
extern template void lamb_update(HostQueue, const LambSettings&, std::int64_t, double,
                                 const FactorsAt&, const ParameterRange<float>&);
extern template void lamb_update(HostQueue, const LambSettings&, std::int64_t, double,
                                 const FactorsAt&, const ParameterRange<double>&);

}  // namespace shardstone
