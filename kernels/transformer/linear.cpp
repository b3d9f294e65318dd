// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/linear.hpp"

#include "kernels/gemm/gemm.hpp"
#include "kernels/transformer/columns.hpp"

namespace shardstone {

template <class Real>
void linear_forward(Matrix<const Real> x, Matrix<const Real> weight, const Real* bias,
                    Matrix<Real> out) {
    gemm<Real>(1, x, transpose(weight), 0, out);
    if (bias == nullptr) return;
    for_each_row(out.rows, [=](std::int64_t r) {
        Real* row = out.row(r);
#pragma omp simd
        for (std::int64_t c = 0; c < out.columns; ++c) row[c] += bias[c];
    });
}

template <class Real>
void linear_backward_input(Matrix<const Real> d_out, Matrix<const Real> weight, Matrix<Real> d_x) {
    gemm<Real>(1, d_out, weight, 0, d_x);
}

template <class Real>
void linear_backward_parameters(Matrix<const Real> d_out, Matrix<const Real> x,
                                Matrix<Real> d_weight, Real* d_bias) {
    gemm<Real>(1, transpose(d_out), x, 1, d_weight);
    if (d_bias != nullptr) bias_backward(d_out, d_bias);
}

template <class Real>
void bias_backward(Matrix<const Real> d_out, Real* d_bias) {
    detail::for_each_column_block(d_out.columns, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = 0; r < d_out.rows; ++r) {
            const Real* row = d_out.row(r);
#pragma omp simd
            for (std::int64_t c = begin; c < end; ++c) d_bias[c] += row[c];
        }
    });
}

#define SHARDSTONE_INSTANTIATE(Real)                                                               \
    template void linear_forward(Matrix<const Real>, Matrix<const Real>, const Real*,              \
                                 Matrix<Real>);                                                    \
    template void linear_backward_input(Matrix<const Real>, Matrix<const Real>, Matrix<Real>);     \
    template void linear_backward_parameters(Matrix<const Real>, Matrix<const Real>, Matrix<Real>, \
                                             Real*);                                               \
    template void bias_backward(Matrix<const Real>, Real*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
