// SPDX-License-Identifier: BSD-3-Clause
// gemm() of narrow factors by way of FP32: tiles of both are widened, which is exact, and
// multiplied by the FP32 library. A product of two narrow numbers fits into FP32, so that what
// comes out is what a matrix unit with narrow inputs and FP32 sums gives, up to the order of the
// sums.
#pragma once

#include "kernels/gemm/gemm.hpp"

namespace shardstone::detail {

/// As gemm(); S is bf16 or fp16, Out is S or float. Its scratch memory (below 13 MiB) stays with
/// the thread.
template <class S, class Out>
void widened_gemm(float alpha, const Factor<S>& a, const Factor<S>& b, float beta,
                  const Matrix<Out>& c, const float* bias);

/// Each row of c (m, n) += bias (n).
template <class Real>
void add_bias(const Real* bias, const Matrix<Real>& c);

}  // namespace shardstone::detail
