// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

inline constexpr double layernorm_epsilon = 1e-5;  ///< GPT-2's

/// Layer normalisation (Ba, Kiros and Hinton 2016) of each row of x (N, C):
/// out = (x - mean) * rstd * weight + bias, rstd = 1 / sqrt(variance + epsilon), the variance over
/// C without Bessel's correction. mean and rstd (N) are kept for backward. out may not overlap x.
/// Parameters and `out`, which products read, are in S; x, its gradient and that of `out` in R,
/// which is Real or S; everything else, including the arithmetic, is in Real = compute_t<S>.
template <class S, class R = compute_t<S>>
void layernorm_forward(HostQueue queue, Matrix<const std::type_identity_t<R>> x, const S* weight,
                       const S* bias, Matrix<S> out, compute_t<S>* mean, compute_t<S>* rstd);
template <class S, class R = compute_t<S>>
void layernorm_forward(CudaQueue queue, Matrix<const std::type_identity_t<R>, Cuda> x,
                       const S* weight, const S* bias, Matrix<S, Cuda> out, compute_t<S>* mean,
                       compute_t<S>* rstd);

/// Inputs and saved values of forward.
template <class S, class R = compute_t<S>, class Space = Host>
struct LayernormSaved {
    Matrix<const R, Space> x;  ///< (N, C)
    const S* weight;           ///< (C)
    const compute_t<S>* mean;  ///< (N)
    const compute_t<S>* rstd;  ///< (N)
};

/// With n = (x - mean) * rstd and g = d_out * weight, per row:
/// d_x += rstd * (g - mean(g) - n * mean(g * n)). Adds, because d_x already holds the gradient of
/// the residual connection.
template <class S, class R = compute_t<S>>
void layernorm_backward_input(HostQueue queue, const LayernormSaved<S, R>& saved,
                              Matrix<const std::type_identity_t<R>> d_out,
                              Matrix<std::type_identity_t<R>> d_x);
template <class S, class R = compute_t<S>>
void layernorm_backward_input(CudaQueue queue, const LayernormSaved<S, R, Cuda>& saved,
                              Matrix<const std::type_identity_t<R>, Cuda> d_out,
                              Matrix<std::type_identity_t<R>, Cuda> d_x);

/// d_weight (C) += sum over rows of d_out * n; d_bias (C) += sum over rows of d_out. The host adds
/// row by row; a GPU in an order that depends on nothing but the shape (column_sums_cuda.hpp).
template <class S, class R = compute_t<S>>
void layernorm_backward_parameters(HostQueue queue, const LayernormSaved<S, R>& saved,
                                   Matrix<const std::type_identity_t<R>> d_out,
                                   compute_t<S>* d_weight, compute_t<S>* d_bias);
template <class S, class R = compute_t<S>>
void layernorm_backward_parameters(CudaQueue queue, const LayernormSaved<S, R, Cuda>& saved,
                                   Matrix<const std::type_identity_t<R>, Cuda> d_out,
                                   compute_t<S>* d_weight, compute_t<S>* d_bias);

}  // namespace shardstone
