// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/gelu.hpp"

#include "kernels/tensor/for_each.hpp"
#include "kernels/tensor/row_function.hpp"
#include "kernels/transformer/elementary.hpp"

namespace shardstone {

namespace {

template <class Real>
inline constexpr Real sqrt_2_over_pi = Real(0.79788456080286535588);
template <class Real>
inline constexpr Real cubic = Real(0.044715);

/// s = (1 + tanh z) / 2 as a logistic function: one exponential, no cancellation for x << 0.
template <class Real>
inline Real gate(Real x) {
    const Real z = sqrt_2_over_pi<Real> * (x + cubic<Real> * x * x * x);
    return Real(1) / (Real(1) + exponential(Real(-2) * z));
}

template <class Real>
SHARDSTONE_ROW_FUNCTION void forward_row(Real* pre, const Real* bias, Real* out, std::int64_t n) {
#pragma omp simd
    for (std::int64_t c = 0; c < n; ++c) {
        const Real x = pre[c] + bias[c];
        pre[c] = x;
        out[c] = x * gate(x);
    }
}

template <class Real>
SHARDSTONE_ROW_FUNCTION void backward_row(const Real* pre, Real* d, std::int64_t n) {
#pragma omp simd
    for (std::int64_t c = 0; c < n; ++c) {
        const Real x = pre[c];
        const Real s = gate(x);
        const Real slope = sqrt_2_over_pi<Real> * (Real(1) + Real(3) * cubic<Real> * x * x);
        d[c] *= s + Real(2) * x * s * (Real(1) - s) * slope;
    }
}

}  // namespace

template <class Real>
void bias_gelu_forward(Matrix<Real> pre, const Real* bias, Matrix<Real> out) {
    for_each_row(pre.rows,
                 [=](std::int64_t r) { forward_row(pre.row(r), bias, out.row(r), pre.columns); });
}

template <class Real>
void gelu_backward(Matrix<const Real> pre, Matrix<Real> d) {
    for_each_row(pre.rows,
                 [=](std::int64_t r) { backward_row(pre.row(r), d.row(r), pre.columns); });
}

#define SHARDSTONE_INSTANTIATE(Real)                                          \
    template void bias_gelu_forward(Matrix<Real>, const Real*, Matrix<Real>); \
    template void gelu_backward(Matrix<const Real>, Matrix<Real>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
