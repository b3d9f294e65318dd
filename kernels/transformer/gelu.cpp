// SPDX-License-Identifier: BSD-3-Clause
// GELU fused with the bias before it, and its gradient, vectorised row by row.
#include "kernels/transformer/gelu.hpp"

#include "kernels/base/convert.hpp"
#include "kernels/tensor/for_each.hpp"
#include "kernels/tensor/row_function.hpp"
#include "kernels/transformer/elementary.hpp"

namespace shardstone {

namespace {

template <class Real>
inline constexpr Real sqrt_2_over_pi = Real(0.79788456080286535588);
template <class Real>
inline constexpr Real cubic = Real(0.044715);

/// s = (1 + tanh z) / 2 as a logistic function: one exponential, no cancellation for x << 0. What
/// it makes of a NaN does not matter: x is a factor of all that is made of it.
template <class Real>
inline Real gate(Real x) {
    constexpr Real factor = Real(-2) * sqrt_2_over_pi<Real>;
    const Real minus_2z = x * multiply_add(factor * cubic<Real>, x * x, factor);
    return Real(1) / (Real(1) + clamped_exponential(minus_2z));
}

template <class S>
SHARDSTONE_ROW_FUNCTION void forward_row(S* pre, const S* bias, S* out, std::int64_t n) {
    using Real = compute_t<S>;
#pragma omp simd
    for (std::int64_t c = 0; c < n; ++c) {
        const S biased(static_cast<Real>(pre[c]) + static_cast<Real>(bias[c]));
        const Real x = static_cast<Real>(biased);
        store_rounded(biased, pre[c]);
        store(x * gate(x), out[c]);
    }
}

template <class S>
SHARDSTONE_ROW_FUNCTION void backward_row(const S* pre, S* d, std::int64_t n) {
    using Real = compute_t<S>;
#pragma omp simd
    for (std::int64_t c = 0; c < n; ++c) {
        const Real x = static_cast<Real>(pre[c]);
        const Real s = gate(x);
        const Real slope = sqrt_2_over_pi<Real> * (Real(1) + Real(3) * cubic<Real> * x * x);
        const Real derivative = s + Real(2) * x * s * (Real(1) - s) * slope;
        store(static_cast<Real>(d[c]) * derivative, d[c]);
    }
}

}  // namespace

template <class S>
void bias_gelu_forward(HostQueue queue, Matrix<S> pre, const S* bias, Matrix<S> out) {
    for_each_row(queue, pre.rows,
                 [=](std::int64_t r) { forward_row(pre.row(r), bias, out.row(r), pre.columns); });
}

template <class S>
void gelu_backward(HostQueue queue, Matrix<const S> pre, Matrix<S> d) {
    for_each_row(queue, pre.rows,
                 [=](std::int64_t r) { backward_row(pre.row(r), d.row(r), pre.columns); });
}

#define SHARDSTONE_INSTANTIATE(S)                                               \
    template void bias_gelu_forward(HostQueue, Matrix<S>, const S*, Matrix<S>); \
    template void gelu_backward(HostQueue, Matrix<const S>, Matrix<S>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
