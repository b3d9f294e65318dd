// SPDX-License-Identifier: BSD-3-Clause
// Gathers positions into the rows that experts read, and adds up what experts give, with gradients.
#include "kernels/transformer/expert_rows.hpp"

#include <algorithm>

#include "kernels/base/convert.hpp"
#include "kernels/tensor/for_each.hpp"
#include "kernels/tensor/row_function.hpp"
#include "kernels/tensor/row_reduction.hpp"
#include "kernels/transformer/row_sums.hpp"

namespace shardstone {

namespace {

/// Calls f(n, k, row) for the choices that were not dropped; those of one position in order of k.
template <class F>
void for_each_choice(HostQueue queue, Matrix<const std::int32_t> rows, const F& f) {
    for_each_row(queue, rows.rows, [=](std::int64_t n) {
        for (std::int64_t k = 0; k < rows.columns; ++k) {
            if (rows.row(n)[k] >= 0) f(n, k, rows.row(n)[k]);
        }
    });
}

template <class S>
SHARDSTONE_ROW_FUNCTION void scale_row(compute_t<S> factor, const S* from, std::int64_t columns,
                                       S* to) {
    using Real = compute_t<S>;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) {
        store(factor * static_cast<Real>(from[c]), to[c]);
    }
}

template <class S>
SHARDSTONE_ROW_FUNCTION compute_t<S> dot(const S* a, const S* b, std::int64_t columns) {
    using Real = compute_t<S>;
    return sum_of<Real>(
        columns, [=](std::int64_t c) { return static_cast<Real>(a[c]) * static_cast<Real>(b[c]); });
}

/// out = the sum of factor(k) * from[rows[k]] over the `count` rows that are not negative.
template <class S, class R, class Factor>
SHARDSTONE_ROW_FUNCTION void sum_row(Matrix<const S> from, const std::int32_t* rows,
                                     std::int64_t count, const Factor& factor, R* out) {
    using Real = compute_t<S>;
    const auto row_at = [=](std::int64_t k) {
        if (rows[k] < 0) return detail::ScaledRow<S>{};
        return detail::ScaledRow<S>{from.row(rows[k]), factor(k)};
    };
    detail::sum_scaled_rows<S>(from.columns, count, row_at,
                               [=](std::int64_t c, Real sum) { store(sum, out[c]); });
}

}  // namespace

template <class S>
void dispatch_rows(HostQueue queue, Matrix<const S> x, Matrix<const std::int32_t> rows,
                   Matrix<S> to) {
    for_each_choice(queue, rows, [=](std::int64_t n, std::int64_t, std::int64_t row) {
        std::copy_n(x.row(n), x.columns, to.row(row));
    });
}

template <class S, class R>
void combine_rows(HostQueue queue, Matrix<const S> from, Matrix<const std::int32_t> rows,
                  Matrix<const std::int32_t> choices, Matrix<const compute_t<S>> probabilities,
                  Matrix<R> out) {
    for_each_row(queue, out.rows, [=](std::int64_t n) {
        const auto gate = [=](std::int64_t k) { return probabilities.row(n)[choices.row(n)[k]]; };
        sum_row(from, rows.row(n), rows.columns, gate, out.row(n));
    });
}

template <class S>
void dispatch_gradient(HostQueue queue, Matrix<const S> d_out, Matrix<const std::int32_t> rows,
                       Matrix<const std::int32_t> choices, Matrix<const compute_t<S>> probabilities,
                       Matrix<S> to) {
    for_each_choice(queue, rows, [=](std::int64_t n, std::int64_t k, std::int64_t row) {
        const auto gate = probabilities.row(n)[choices.row(n)[k]];
        scale_row(gate, d_out.row(n), d_out.columns, to.row(row));
    });
}

template <class S>
void gate_gradients(HostQueue queue, Matrix<const S> d_out, Matrix<const S> from,
                    Matrix<const std::int32_t> rows, Matrix<compute_t<S>> d_gates) {
    using Real = compute_t<S>;
    for_each_row(queue, rows.rows, [=](std::int64_t n) {
        for (std::int64_t k = 0; k < rows.columns; ++k) {
            const std::int64_t row = rows.row(n)[k];
            d_gates.row(n)[k] = row < 0 ? Real(0) : dot(d_out.row(n), from.row(row), d_out.columns);
        }
    });
}

template <class S, class R>
void sum_rows(HostQueue queue, Matrix<const S> from, Matrix<const std::int32_t> rows,
              Matrix<R> out) {
    for_each_row(queue, out.rows, [=](std::int64_t n) {
        const auto one = [](std::int64_t) { return compute_t<S>(1); };
        sum_row(from, rows.row(n), rows.columns, one, out.row(n));
    });
}

#define SHARDSTONE_INSTANTIATE(S)                                                           \
    template void dispatch_rows(HostQueue, Matrix<const S>, Matrix<const std::int32_t>,     \
                                Matrix<S>);                                                 \
    template void dispatch_gradient(HostQueue, Matrix<const S>, Matrix<const std::int32_t>, \
                                    Matrix<const std::int32_t>, Matrix<const compute_t<S>>, \
                                    Matrix<S>);                                             \
    template void gate_gradients(HostQueue, Matrix<const S>, Matrix<const S>,               \
                                 Matrix<const std::int32_t>, Matrix<compute_t<S>>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

#define SHARDSTONE_INSTANTIATE(S, R)                                                         \
    template void combine_rows<S, R>(HostQueue, Matrix<const S>, Matrix<const std::int32_t>, \
                                     Matrix<const std::int32_t>, Matrix<const compute_t<S>>, \
                                     Matrix<R>);                                             \
    template void sum_rows<S, R>(HostQueue, Matrix<const S>, Matrix<const std::int32_t>, Matrix<R>);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(double, double)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
