// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// A factor of a product: a row-major matrix, optionally transposed. rows() and columns() are those
/// after transposition.
template <class Real>
struct Factor {
    Matrix<const Real> matrix;
    bool transposed = false;

    Factor(Matrix<const Real> m, bool t = false) : matrix(m), transposed(t) {}
    Factor(Matrix<Real> m) : matrix(m) {}
    std::int64_t rows() const { return transposed ? matrix.columns : matrix.rows; }
    std::int64_t columns() const { return transposed ? matrix.rows : matrix.columns; }
};

template <class Real>
Factor<Real> transpose(Matrix<const Real> m) {
    return {m, true};
}
template <class Real>
requires(!std::is_const_v<Real>) Factor<Real> transpose(Matrix<Real> m) {
    return {m, true};
}

/// C = alpha A B + beta C with A (m, k), B (k, n), C (m, n), none overlapping C; beta = 0 never
/// reads C. One thread. For given shapes the result is bitwise reproducible on the same machine.
///
/// The factors are in S: float, double, bf16 or fp16. Products of narrow numbers are exact and
/// summed in Real = compute_t<S>, as matrix units do; C is in Real or in S, where it is rounded
/// once, after the bias, and beta must be 0 (a sum kept in S would be rounded at every addition).
/// `bias` (n), unless it is nullptr, is added to every row of C; then alpha = 1, beta = 0.
template <class S, class Out>
void gemm(HostQueue queue, compute_t<S> alpha, const Factor<S>& a, const Factor<S>& b,
          compute_t<S> beta, const Matrix<Out>& c, const compute_t<S>* bias = nullptr);

/// A library that can multiply in FP32, whether or not chosen by gemm(): C = A B.
struct GemmLibrary {
    std::string name;
    void (*multiply)(const Factor<float>& a, const Factor<float>& b, const Matrix<float>& c);
};
/// The libraries built in, for comparison with gemm(). Each runs on one thread.
std::vector<GemmLibrary> gemm_libraries();

/// The libraries that multiply, for the record: "oneDNN 2.6.3 (fp32), OpenBLAS 0.3.21 SkylakeX
/// (fp64)".
std::string gemm_library();

/// How bf16 is multiplied here: "its own instructions", or "widening to fp32" if the processor has
/// none or is no faster with them (see onednn_bf16.cpp). fp16 is always widened.
std::string bf16_product_method();

/// One line of warning, with the remedy, if the CBLAS has chosen a kernel older than this CPU
/// (OpenBLAS treats an unknown CPU as an old one, at less than half the speed). To be printed once
/// per job.
std::optional<std::string> gemm_warning();

}  // namespace shardstone
