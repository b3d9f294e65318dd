// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// GELU with GPT-2's tanh approximation (Hendrycks and Gimpel 2016, section 2):
/// gelu(x) = x/2 (1 + tanh z) = x / (1 + exp(-2 z)), z = sqrt(2/pi) (x + 0.044715 x^3).
/// First adds the bias of the preceding layer: pre (N, C) += bias (C), which backward needs, and
/// out (N, C) = gelu(pre). out may not overlap pre. The arithmetic is in Real = compute_t<S>; pre
/// is rounded to S first, so that backward uses the derivative at exactly the input of forward.
template <class S>
void bias_gelu_forward(HostQueue queue, Matrix<S> pre, const S* bias, Matrix<S> out);
template <class S>
void bias_gelu_forward(CudaQueue queue, Matrix<S, Cuda> pre, const S* bias, Matrix<S, Cuda> out);

/// Turns d (N, C), the gradient with respect to out, into that with respect to pre:
/// d *= gelu'(pre), with s = 1 / (1 + exp(-2 z)): gelu' = s + 2 x s (1 - s) dz/dx.
template <class S>
void gelu_backward(HostQueue queue, Matrix<const S> pre, Matrix<S> d);
template <class S>
void gelu_backward(CudaQueue queue, Matrix<const S, Cuda> pre, Matrix<S, Cuda> d);

}  // namespace shardstone
