// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/tensor/matrix.hpp"

namespace shardstone {

inline constexpr double layernorm_epsilon = 1e-5;  ///< GPT-2's

/// Layer normalisation (Ba, Kiros and Hinton 2016) of each row of x (N, C):
/// out = (x - mean) * rstd * weight + bias, rstd = 1 / sqrt(variance + epsilon), the variance over
/// C without Bessel's correction. mean and rstd (N) are kept for backward. out may not overlap x.
template <class Real>
void layernorm_forward(Matrix<const Real> x, const Real* weight, const Real* bias, Matrix<Real> out,
                       Real* mean, Real* rstd);

/// What forward was given and kept.
template <class Real>
struct LayernormSaved {
    Matrix<const Real> x;  ///< (N, C)
    const Real* weight;    ///< (C)
    const Real* mean;      ///< (N)
    const Real* rstd;      ///< (N)
};

/// With n = (x - mean) * rstd and g = d_out * weight, per row:
/// d_x += rstd * (g - mean(g) - n * mean(g * n)). Adds, because d_x already holds what came past
/// the residual connection.
template <class Real>
void layernorm_backward_input(const LayernormSaved<Real>& saved, Matrix<const Real> d_out,
                              Matrix<Real> d_x);

/// d_weight (C) += sum over rows of d_out * n; d_bias (C) += sum over rows of d_out.
template <class Real>
void layernorm_backward_parameters(const LayernormSaved<Real>& saved, Matrix<const Real> d_out,
                                   Real* d_weight, Real* d_bias);

}  // namespace shardstone
