// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// out (N, O) = x (N, I) W^T + bias, with W (O, I) as GPT-2 and PyTorch keep it and bias (O);
/// without a bias (nullptr) the product alone. out is overwritten.
template <class Real>
void linear_forward(Matrix<const Real> x, Matrix<const Real> weight, const Real* bias,
                    Matrix<Real> out);

/// d_x (N, I) = d_out W, overwritten.
template <class Real>
void linear_backward_input(Matrix<const Real> d_out, Matrix<const Real> weight, Matrix<Real> d_x);

/// d_weight (O, I) += d_out^T x, and d_bias (O) += column sums of d_out unless it is nullptr.
template <class Real>
void linear_backward_parameters(Matrix<const Real> d_out, Matrix<const Real> x,
                                Matrix<Real> d_weight, Real* d_bias);

/// d_bias (O) += column sums of d_out (N, O), in row order.
template <class Real>
void bias_backward(Matrix<const Real> d_out, Real* d_bias);

}  // namespace shardstone
