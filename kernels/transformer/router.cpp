// SPDX-License-Identifier: BSD-3-Clause
// The router of a mixture of experts: logits, softmax, the choice of the top K, and the gradients.
#include "kernels/transformer/router.hpp"

#include <algorithm>

#include "kernels/base/convert.hpp"
#include "kernels/base/error.hpp"
#include "kernels/tensor/for_each.hpp"
#include "kernels/tensor/row_function.hpp"
#include "kernels/tensor/row_reduction.hpp"
#include "kernels/transformer/columns.hpp"
#include "kernels/transformer/row_sums.hpp"
#include "kernels/transformer/softmax.hpp"

namespace shardstone {

namespace {

template <class S>
SHARDSTONE_ROW_FUNCTION void logits_row(const S* x, Matrix<const S> weight, compute_t<S>* logits) {
    using Real = compute_t<S>;
    for (std::int64_t e = 0; e < weight.rows; ++e) {
        const S* w = weight.row(e);
        logits[e] = sum_of<Real>(weight.columns, [=](std::int64_t c) {
            return static_cast<Real>(x[c]) * static_cast<Real>(w[c]);
        });
    }
}

/// Puts each expert behind those that are no less likely; what falls off the end is not chosen. A
/// NaN goes past nobody, so every expert has one place or none whatever the probabilities are.
template <class Real>
void choose(const Real* p, std::int64_t experts, std::int32_t* choices, std::int64_t count) {
    for (std::int64_t e = 0; e < experts; ++e) {
        std::int64_t place = std::min(e, count);
        for (; place > 0 && p[choices[place - 1]] < p[e]; --place) {
            if (place < count) choices[place] = choices[place - 1];
        }
        if (place < count) choices[place] = static_cast<std::int32_t>(e);
    }
}

/// d holds the gradient of the probabilities, and becomes that of the logits.
template <class Real>
SHARDSTONE_ROW_FUNCTION void softmax_gradient(const Real* p, std::int64_t n, Real z_term, Real* d) {
    const Real mean = sum_of<Real>(n, [=](std::int64_t e) { return p[e] * d[e]; });
#pragma omp simd
    for (std::int64_t e = 0; e < n; ++e) d[e] = p[e] * ((d[e] - mean) + z_term);
}

template <class S, class R>
SHARDSTONE_ROW_FUNCTION void add_input_gradient(const compute_t<S>* d_logits,
                                                Matrix<const S> weight, R* d_x) {
    using Real = compute_t<S>;
    detail::sum_scaled_rows<S>(
        weight.columns, weight.rows,
        [=](std::int64_t e) {
            return detail::ScaledRow<S>{weight.row(e), d_logits[e]};
        },
        [=](std::int64_t c, Real sum) { store(static_cast<Real>(d_x[c]) + sum, d_x[c]); });
}

template <class S>
void add_scaled(compute_t<S> factor, const S* from, std::int64_t n, compute_t<S>* to) {
    using Real = compute_t<S>;
#pragma omp simd
    for (std::int64_t c = 0; c < n; ++c) {
        to[c] = multiply_add(factor, static_cast<Real>(from[c]), to[c]);
    }
}

}  // namespace

template <class S>
void router_logits(HostQueue queue, Matrix<const S> x, Matrix<const S> weight,
                   Matrix<compute_t<S>> logits) {
    for_each_row(queue, x.rows,
                 [=](std::int64_t r) { logits_row(x.row(r), weight, logits.row(r)); });
}

template <class Real>
void route(HostQueue queue, Matrix<Real> logits_to_probabilities, Real* log_sum_exp,
           Matrix<std::int32_t> choices) {
    const std::int64_t experts = logits_to_probabilities.columns;
    SHARDSTONE_EXPECTS(experts > 0 && choices.columns <= experts);
    for_each_row(queue, choices.rows, [=](std::int64_t r) {
        Real* row = logits_to_probabilities.row(r);
        log_sum_exp[r] = detail::masked_softmax_row(row, experts, experts);
        choose(row, experts, choices.row(r), choices.columns);
    });
}

template <class Real>
void router_backward(HostQueue queue, Matrix<const Real> probabilities,
                     Matrix<const std::int32_t> choices, Matrix<const Real> d_gates,
                     const Real* log_sum_exp, const Real* picks, Real balance_factor, Real z_factor,
                     Matrix<Real> d_logits) {
    for_each_row(queue, d_logits.rows, [=](std::int64_t r) {
        Real* d = d_logits.row(r);
        for (std::int64_t e = 0; e < d_logits.columns; ++e) d[e] = balance_factor * picks[e];
        for (std::int64_t k = 0; k < choices.columns; ++k) {
            d[choices.row(r)[k]] += d_gates.row(r)[k];
        }
        const Real z_term = Real(2) * z_factor * log_sum_exp[r];
        softmax_gradient(probabilities.row(r), d_logits.columns, z_term, d);
    });
}

template <class Real>
void router_losses(HostQueue, Matrix<const Real> probabilities, Matrix<const Real> picks,
                   const Real* log_sum_exp, double balance_share, double* balance, double* z) {
    double balance_sum = 0.0, z_sum = 0.0;
    const std::int64_t positions = probabilities.rows / picks.rows;
    for (std::int64_t n = 0; n < probabilities.rows; ++n) {
        const Real* const p = probabilities.row(n);
        const Real* const picked = picks.row(n / positions);
        double met = 0.0;
        for (std::int64_t e = 0; e < probabilities.columns; ++e) {
            met += static_cast<double>(picked[e]) * static_cast<double>(p[e]);
        }
        const auto lse = static_cast<double>(log_sum_exp[n]);
        balance_sum += balance_share * met;
        z_sum += lse * lse;
    }
    *balance += balance_sum;
    *z += z_sum;
}

template <class S, class R>
void router_backward_input(HostQueue queue, Matrix<const compute_t<S>> d_logits,
                           Matrix<const S> weight, Matrix<R> d_x) {
    for_each_row(queue, d_x.rows, [=](std::int64_t r) {
        add_input_gradient<S, R>(d_logits.row(r), weight, d_x.row(r));
    });
}

template <class S>
void router_backward_weight(HostQueue queue, Matrix<const compute_t<S>> d_logits, Matrix<const S> x,
                            Matrix<compute_t<S>> d_weight) {
    detail::for_each_column_block(queue, d_weight.columns,
                                  [=](std::int64_t begin, std::int64_t end) {
                                      for (std::int64_t r = 0; r < x.rows; ++r) {
                                          for (std::int64_t e = 0; e < d_weight.rows; ++e) {
                                              add_scaled(d_logits.row(r)[e], x.row(r) + begin,
                                                         end - begin, d_weight.row(e) + begin);
                                          }
                                      }
                                  });
}

#define SHARDSTONE_INSTANTIATE(S)                                                                \
    template void router_logits(HostQueue, Matrix<const S>, Matrix<const S>,                     \
                                Matrix<compute_t<S>>);                                           \
    template void router_backward_weight(HostQueue, Matrix<const compute_t<S>>, Matrix<const S>, \
                                         Matrix<compute_t<S>>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

#define SHARDSTONE_INSTANTIATE(Real)                                                            \
    template void route(HostQueue, Matrix<Real>, Real*, Matrix<std::int32_t>);                  \
    template void router_backward(HostQueue, Matrix<const Real>, Matrix<const std::int32_t>,    \
                                  Matrix<const Real>, const Real*, const Real*, Real, Real,     \
                                  Matrix<Real>);                                                \
    template void router_losses(HostQueue, Matrix<const Real>, Matrix<const Real>, const Real*, \
                                double, double*, double*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

#define SHARDSTONE_INSTANTIATE(S, R)                                                 \
    template void router_backward_input<S, R>(HostQueue, Matrix<const compute_t<S>>, \
                                              Matrix<const S>, Matrix<R>);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(double, double)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
