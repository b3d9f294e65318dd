// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/residual.hpp"

#include "kernels/tensor/for_each.hpp"

namespace shardstone {

template <class Real>
void bias_residual_forward(Matrix<const Real> residual, Matrix<const Real> branch, const Real* bias,
                           Matrix<Real> out) {
    for_each_row(out.rows, [=](std::int64_t r) {
        const Real* past = residual.row(r);
        const Real* from = branch.row(r);
        Real* to = out.row(r);
#pragma omp simd
        for (std::int64_t c = 0; c < out.columns; ++c) to[c] = past[c] + (from[c] + bias[c]);
    });
}

template void bias_residual_forward(Matrix<const float>, Matrix<const float>, const float*,
                                    Matrix<float>);
template void bias_residual_forward(Matrix<const double>, Matrix<const double>, const double*,
                                    Matrix<double>);

}  // namespace shardstone
