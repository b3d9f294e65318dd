// SPDX-License-Identifier: BSD-3-Clause
// One attention head's tensors and rows, for the attention kernels.
#pragma once

#include <cstdint>

#include "kernels/base/convert.hpp"
#include "kernels/base/element_type.hpp"
#include "kernels/transformer/causal_products.hpp"
#include "kernels/transformer/softmax.hpp"

namespace shardstone::detail {

/// A head's tensor in the type of the arithmetic: itself, or widened into the arena.
template <class S>
Matrix<const compute_t<S>> as_real(Matrix<const S> from, causal::Arena<compute_t<S>>& arena) {
    if constexpr (is_narrow<S>) {
        const auto to = arena.take(from.rows, from.columns);
        for (std::int64_t r = 0; r < from.rows; ++r) widen(from.row(r), to.row(r), from.columns);
        return to;
    } else {
        return from;
    }
}

/// The destination for the arithmetic of a head's tensor: the tensor itself, or the arena until it
/// is rounded().
template <class S>
Matrix<compute_t<S>> to_write(Matrix<S> to, causal::Arena<compute_t<S>>& arena) {
    if constexpr (is_narrow<S>) {
        return arena.take(to.rows, to.columns);
    } else {
        return to;
    }
}
template <class S>
void rounded(Matrix<compute_t<S>> written, Matrix<S> to) {
    if constexpr (is_narrow<S>) {
        for (std::int64_t r = 0; r < to.rows; ++r) narrow(written.row(r), to.row(r), to.columns);
    }
}

template <class Real>
SHARDSTONE_ROW_FUNCTION Real dot(const Real* a, const Real* b, std::int64_t n) {
    return sum_of<Real>(n, [=](std::int64_t c) { return a[c] * b[c]; });
}

/// Turns d_p into d_S of one row; p holds the probabilities, zero beyond `visible`.
template <class Real>
void softmax_backward_row(const Real* p, Real* d_p, std::int64_t visible, Real mean) {
#pragma omp simd
    for (std::int64_t c = 0; c < visible; ++c) d_p[c] = p[c] * (d_p[c] - mean);
}

}  // namespace shardstone::detail
