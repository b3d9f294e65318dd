// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

// Tensors read by products are in S, sums and gradients of parameters in Real = compute_t<S>; for
// float and double the two types are equal. Outputs of products are in `Out`, S or Real.

/// out (N, O) = x (N, I) W^T + bias, with W (O, I) as GPT-2 and PyTorch store it and bias (O);
/// without a bias (nullptr) only the product. out is overwritten, and rounded once, after the bias.
template <class S, class Out>
void linear_forward(HostQueue queue, Matrix<const S> x, Matrix<const S> weight, const S* bias,
                    Matrix<Out> out);
template <class S, class Out>
void linear_forward(CudaQueue queue, Matrix<const S, Cuda> x, Matrix<const S, Cuda> weight,
                    const S* bias, Matrix<Out, Cuda> out);

/// d_x (N, I) = d_out W, overwritten.
template <class S, class Out>
void linear_backward_input(HostQueue queue, Matrix<const S> d_out, Matrix<const S> weight,
                           Matrix<Out> d_x);
template <class S, class Out>
void linear_backward_input(CudaQueue queue, Matrix<const S, Cuda> d_out,
                           Matrix<const S, Cuda> weight, Matrix<Out, Cuda> d_x);

/// d_weight (O, I) += d_out^T x, and d_bias (O) += column sums of d_out unless it is nullptr.
template <class S>
void linear_backward_parameters(HostQueue queue, Matrix<const S> d_out, Matrix<const S> x,
                                Matrix<compute_t<S>> d_weight, compute_t<S>* d_bias);
template <class S>
void linear_backward_parameters(CudaQueue queue, Matrix<const S, Cuda> d_out,
                                Matrix<const S, Cuda> x, Matrix<compute_t<S>, Cuda> d_weight,
                                compute_t<S>* d_bias);

/// d_bias (O) += column sums of d_out (N, O). Any storage type. The host adds row by row; a GPU in
/// an order that depends on nothing but the shape (column_sums_cuda.hpp).
template <class S>
void bias_backward(HostQueue queue, Matrix<const S> d_out, compute_t<S>* d_bias);
template <class S>
void bias_backward(CudaQueue queue, Matrix<const S, Cuda> d_out, compute_t<S>* d_bias);

}  // namespace shardstone
