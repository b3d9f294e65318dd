// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// A factor of a product: a row-major matrix taken as it is or transposed. rows() and columns() are
/// those after transposition.
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
/// reads C. One thread. The same shapes give the same bits on the same machine. Real is float or
/// double.
template <class Real>
void gemm(Real alpha, const Factor<Real>& a, const Factor<Real>& b, Real beta,
          const Matrix<Real>& c);

extern template void gemm(float, const Factor<float>&, const Factor<float>&, float,
                          const Matrix<float>&);
extern template void gemm(double, const Factor<double>&, const Factor<double>&, double,
                          const Matrix<double>&);

/// What multiplies, for the record: "oneDNN 2.6.3 (fp32), OpenBLAS 0.3.21 SkylakeX (fp64)".
std::string gemm_library();

/// One line of warning when the CBLAS has chosen a kernel older than this CPU (OpenBLAS takes a CPU
/// it does not know for an old one, at less than half the speed), with the remedy. Whoever runs the
/// job prints it once.
std::optional<std::string> gemm_warning();

}  // namespace shardstone
