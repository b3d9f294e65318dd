// SPDX-License-Identifier: BSD-3-Clause
// LayerNorm forward, and backward apart for the input and for the parameters.
#include "kernels/transformer/layernorm.hpp"

#include <cmath>
#include <utility>

#include "kernels/base/convert.hpp"
#include "kernels/tensor/row_function.hpp"
#include "kernels/tensor/row_reduction.hpp"
#include "kernels/transformer/columns.hpp"
#include "kernels/transformer/elementary.hpp"

namespace shardstone {

namespace {

template <class Real>
struct Moments {
    Real mean, rstd;
};

// Two passes: the variance as a sum of squared differences does not cancel.
template <class Real, class R>
SHARDSTONE_ROW_FUNCTION Moments<Real> moments_of(const R* x, std::int64_t n) {
    const Real sum = sum_of<Real>(n, [=](std::int64_t c) { return static_cast<Real>(x[c]); });
    const Real mean = sum / static_cast<Real>(n);
    const Real squares = sum_of<Real>(n, [=](std::int64_t c) {
        const Real difference = static_cast<Real>(x[c]) - mean;
        return difference * difference;
    });
    const Real variance = squares / static_cast<Real>(n);
    return {mean, Real(1) / std::sqrt(variance + static_cast<Real>(layernorm_epsilon))};
}

template <class S, class R>
struct Row {
    using Real = compute_t<S>;
    const R* x;
    const S* weight;
    const R* d_out;
    Moments<Real> moments;
    std::int64_t size;

    Real gradient(std::int64_t c) const { return static_cast<Real>(d_out[c]); }
    Real scaled_gradient(std::int64_t c) const {
        return gradient(c) * static_cast<Real>(weight[c]);
    }
    Real normalised(std::int64_t c) const {
        return (static_cast<Real>(x[c]) - moments.mean) * moments.rstd;
    }
};

template <class S, class R>
SHARDSTONE_ROW_FUNCTION void add_input_gradient(const Row<S, R>& row_of_caller, R* d_x) {
    using Real = compute_t<S>;
    const Row<S, R> row = row_of_caller;
    const auto [sum, sum_with_normalised] = sums_of<Real>(row.size, [=](std::int64_t c) {
        const Real g = row.scaled_gradient(c);
        return std::pair(g, g * row.normalised(c));
    });
    const Real mean = sum / static_cast<Real>(row.size);
    const Real mean_with_normalised = sum_with_normalised / static_cast<Real>(row.size);
#pragma omp simd
    for (std::int64_t c = 0; c < row.size; ++c) {
        const Real g = row.scaled_gradient(c);
        const Real past = static_cast<Real>(d_x[c]);
        store(past + row.moments.rstd * (g - mean - row.normalised(c) * mean_with_normalised),
              d_x[c]);
    }
}

}  // namespace

template <class S, class R>
void layernorm_forward(HostQueue queue, Matrix<const std::type_identity_t<R>> x, const S* weight,
                       const S* bias, Matrix<S> out, compute_t<S>* mean, compute_t<S>* rstd) {
    using Real = compute_t<S>;
    for_each_row(queue, x.rows, [=](std::int64_t r) {
        const R* in = x.row(r);
        S* to = out.row(r);
        const Moments<Real> moments = moments_of<Real>(in, x.columns);
#pragma omp simd
        for (std::int64_t c = 0; c < x.columns; ++c) {
            const Real normalised = (static_cast<Real>(in[c]) - moments.mean) * moments.rstd;
            store(
                multiply_add(normalised, static_cast<Real>(weight[c]), static_cast<Real>(bias[c])),
                to[c]);
        }
        mean[r] = moments.mean;
        rstd[r] = moments.rstd;
    });
}

template <class S, class R>
void layernorm_backward_input(HostQueue queue, const LayernormSaved<S, R>& saved,
                              Matrix<const std::type_identity_t<R>> d_out,
                              Matrix<std::type_identity_t<R>> d_x) {
    for_each_row(queue, d_out.rows, [=](std::int64_t r) {
        add_input_gradient<S, R>({saved.x.row(r),
                                  saved.weight,
                                  d_out.row(r),
                                  {saved.mean[r], saved.rstd[r]},
                                  d_out.columns},
                                 d_x.row(r));
    });
}

template <class S, class R>
void layernorm_backward_parameters(HostQueue queue, const LayernormSaved<S, R>& saved,
                                   Matrix<const std::type_identity_t<R>> d_out,
                                   compute_t<S>* d_weight, compute_t<S>* d_bias) {
    detail::for_each_column_block(queue, d_out.columns, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = 0; r < d_out.rows; ++r) {
            const Row<S, R> row{saved.x.row(r),
                                saved.weight,
                                d_out.row(r),
                                {saved.mean[r], saved.rstd[r]},
                                d_out.columns};
#pragma omp simd
            for (std::int64_t c = begin; c < end; ++c) {
                d_weight[c] += row.gradient(c) * row.normalised(c);
                d_bias[c] += row.gradient(c);
            }
        }
    });
}

#define SHARDSTONE_INSTANTIATE(S, R)                                                      \
    template void layernorm_forward<S, R>(HostQueue, Matrix<const R>, const S*, const S*, \
                                          Matrix<S>, compute_t<S>*, compute_t<S>*);       \
    template void layernorm_backward_input<S, R>(HostQueue, const LayernormSaved<S, R>&,  \
                                                 Matrix<const R>, Matrix<R>);             \
    template void layernorm_backward_parameters<S, R>(                                    \
        HostQueue, const LayernormSaved<S, R>&, Matrix<const R>, compute_t<S>*, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(double, double)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
