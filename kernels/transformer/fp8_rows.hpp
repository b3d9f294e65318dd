// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

// Tensors as a matrix unit with FP8 inputs reads them. Each of its inputs is x * scale rounded to
// FP8, scale being one power of two per tensor, and its sums are divided by the two scales at the
// end. Here the division comes first, because it is exact: an FP8 number divided by a power of two
// is a bf16 number. Therefore gemm() of such bf16 matrices gives the result of a unit with FP32
// sums, at the cost of a bf16 product.

/// The largest power of two for which amax * scale <= the largest F; this leaves headroom of up to
/// a factor of two above amax, in the worst case hardly any. Within 2^-80 to 2^80, where all
/// arithmetic with it is exact. 0 for an amax of 0. F is fp8_e4m3 or fp8_e5m2.
template <class F>
float fp8_scale(float amax);

/// to (N, C) = each number of `from` times `scale`, rounded to F to nearest even, divided by
/// `scale` (a power of two, 2^-80 to 2^80). Values beyond the range, including infinities, become
/// the largest number; NaN stays NaN. Raises `amax` (1) to the largest magnitude in `from` before
/// rounding, infinity if it contains a NaN. `from` and `to` do not overlap.
template <class F>
void round_to_fp8(HostQueue queue, Matrix<const bf16> from, float scale, Matrix<bf16> to,
                  float* amax);
template <class F>
void round_to_fp8(CudaQueue queue, Matrix<const bf16, Cuda> from, float scale,
                  Matrix<bf16, Cuda> to, float* amax);

/// What round_to_fp8() gives, but as FP8 and `scale` times as large, as fp8_gemm() reads it: `to`
/// is (N, C), or (C, N) where the rows of `from` become columns. Raises `amax` likewise.
template <class F>
void store_as_fp8(CudaQueue queue, Matrix<const bf16, Cuda> from, float scale, Matrix<F, Cuda> to,
                  float* amax);
template <class F>
void store_transposed_as_fp8(CudaQueue queue, Matrix<const bf16, Cuda> from, float scale,
                             Matrix<F, Cuda> to, float* amax);

/// Only raises `amax` (1).
void largest_magnitude(HostQueue queue, Matrix<const bf16> from, float* amax);
void largest_magnitude(CudaQueue queue, Matrix<const bf16, Cuda> from, float* amax);

}  // namespace shardstone
