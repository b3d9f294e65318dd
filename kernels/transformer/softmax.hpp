// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/row_function.hpp"
#include "kernels/tensor/row_reduction.hpp"
#include "kernels/transformer/elementary.hpp"

namespace shardstone::detail {

// Elements may be stored in a narrow S; they are widened on reading, and all arithmetic is in Real
// = compute_t<S>.

/// The largest of n elements, -infinity if there are none.
template <class S>
SHARDSTONE_ROW_FUNCTION compute_t<S> row_maximum(const S* x, std::int64_t n) {
    using Real = compute_t<S>;
    return maximum_of<Real>(n, [=](std::int64_t c) { return static_cast<Real>(x[c]); });
}

/// sum(exp(x - highest)) of n elements. NaNs propagate here, though not in row_maximum.
template <class S>
SHARDSTONE_ROW_FUNCTION compute_t<S> sum_of_exponentials(const S* x, std::int64_t n,
                                                         compute_t<S> highest) {
    using Real = compute_t<S>;
    return sum_of<Real>(
        n, [=](std::int64_t c) { return decaying_exponential(static_cast<Real>(x[c]) - highest); });
}

/// log(sum(exp(x))) of n > 0 elements, subtracting the maximum first so that nothing overflows.
template <class S>
compute_t<S> log_sum_exp(const S* x, std::int64_t n) {
    const compute_t<S> highest = row_maximum(x, n);
    return highest + std::log(sum_of_exponentials(x, n, highest));
}

/// Turns n logits into probabilities, given their log_sum_exp.
template <class Real>
void softmax_row(Real* x, std::int64_t n, Real log_sum) {
#pragma omp simd
    for (std::int64_t c = 0; c < n; ++c) x[c] = decaying_exponential(x[c] - log_sum);
}

/// Turns the first n > 0 of `size` logits into probabilities and sets the others, which may be
/// anything, to zero; returns the log_sum_exp of the n. Works on whole groups of partial results,
/// with a mask: a partial group would take as long as a whole one.
template <class Real>
SHARDSTONE_ROW_FUNCTION Real masked_softmax_row(Real* x, std::int64_t n, std::int64_t size) {
    const std::int64_t groups = (n + partial_results - 1) / partial_results;
    const std::int64_t count = std::min(groups * partial_results, size);
    const Real highest = maximum_of<Real>(count, [=](std::int64_t c) {
        const Real logit = x[c];
        return c < n ? logit : -std::numeric_limits<Real>::infinity();
    });
    const Real sum = sum_of<Real>(count, [=](std::int64_t c) {
        const Real exponential = decaying_exponential(x[c] - highest);
        x[c] = c < n ? exponential : Real(0);
        return x[c];
    });
    const Real share = Real(1) / sum;
#pragma omp simd
    for (std::int64_t c = 0; c < count; ++c) x[c] *= share;
    std::fill(x + count, x + size, Real(0));
    return highest + std::log(sum);
}

}  // namespace shardstone::detail
