// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// GELU with GPT-2's tanh approximation (Hendrycks and Gimpel 2016, section 2):
/// gelu(x) = x/2 (1 + tanh z) = x / (1 + exp(-2 z)), z = sqrt(2/pi) (x + 0.044715 x^3).
/// Adds the bias of the layer before first: pre (N, C) += bias (C), which backward needs, and
/// out (N, C) = gelu(pre). out may not overlap pre.
template <class Real>
void bias_gelu_forward(Matrix<Real> pre, const Real* bias, Matrix<Real> out);

/// d (N, C), the gradient with respect to out, becomes the one with respect to pre:
/// d *= gelu'(pre), with s = 1 / (1 + exp(-2 z)): gelu' = s + 2 x s (1 - s) dz/dx.
template <class Real>
void gelu_backward(Matrix<const Real> pre, Matrix<Real> d);

}  // namespace shardstone
