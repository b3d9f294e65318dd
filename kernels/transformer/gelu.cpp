// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/gelu.hpp"

#include "kernels/tensor/for_each.hpp"
#include "kernels/transformer/elementary.hpp"

namespace shardstone {

namespace {

template <class Real>
inline constexpr Real sqrt_2_over_pi = Real(0.79788456080286535588);
template <class Real>
inline constexpr Real cubic = Real(0.044715);

/// s = (1 + tanh z) / 2 as a logistic function: one exponential, no cancellation for x << 0.
template <class Real>
Real gate(Real x) {
    const Real z = sqrt_2_over_pi<Real> * (x + cubic<Real> * x * x * x);
    return Real(1) / (Real(1) + exponential(Real(-2) * z));
}

}  // namespace

template <class Real>
void bias_gelu_forward(Matrix<Real> pre, const Real* bias, Matrix<Real> out) {
    for_each_row(pre.rows, [=](std::int64_t r) {
        Real* in = pre.row(r);
        Real* to = out.row(r);
#pragma omp simd
        for (std::int64_t c = 0; c < pre.columns; ++c) {
            const Real x = in[c] + bias[c];
            in[c] = x;
            to[c] = x * gate(x);
        }
    });
}

template <class Real>
void gelu_backward(Matrix<const Real> pre, Matrix<Real> d) {
    for_each_row(pre.rows, [=](std::int64_t r) {
        const Real* in = pre.row(r);
        Real* gradient = d.row(r);
#pragma omp simd
        for (std::int64_t c = 0; c < pre.columns; ++c) {
            const Real x = in[c];
            const Real s = gate(x);
            const Real slope = sqrt_2_over_pi<Real> * (Real(1) + Real(3) * cubic<Real> * x * x);
            gradient[c] *= s + Real(2) * x * s * (Real(1) - s) * slope;
        }
    });
}

#define SHARDSTONE_INSTANTIATE(Real)                                          \
    template void bias_gelu_forward(Matrix<Real>, const Real*, Matrix<Real>); \
    template void gelu_backward(Matrix<const Real>, Matrix<Real>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
