// SPDX-License-Identifier: BSD-3-Clause
// gemm() of narrow factors via FP32: tiles of both are widened, which is exact, and multiplied by
// the FP32 library. A product of two narrow numbers is exact in FP32, so that the result equals
// that of a matrix unit with narrow inputs and FP32 sums, up to the order of the sums.
#pragma once

#include "kernels/gemm/gemm.hpp"

namespace shardstone::detail {

/// As gemm(); S is bf16 or fp16, Out is S or float. Its scratch memory (below 13 MiB) is kept per
/// thread.
template <class S, class Out>
void widened_gemm(float alpha, const Factor<S>& a, const Factor<S>& b, float beta,
                  const Matrix<Out>& c, const float* bias);

/// Each row of c (m, n) += bias (n).
template <class Real>
void add_bias(const Real* bias, const Matrix<Real>& c);

}  // namespace shardstone::detail
