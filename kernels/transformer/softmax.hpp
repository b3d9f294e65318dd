// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/tensor/row_function.hpp"
#include "kernels/transformer/elementary.hpp"

namespace shardstone::detail {

/// The largest of n elements, -infinity if there are none.
template <class Real>
SHARDSTONE_ROW_FUNCTION Real row_maximum(const Real* x, std::int64_t n) {
    Real highest = -std::numeric_limits<Real>::infinity();
#pragma omp simd reduction(max : highest)
    for (std::int64_t c = 0; c < n; ++c) highest = x[c] > highest ? x[c] : highest;
    return highest;
}

/// sum(exp(x - highest)) of n elements. A NaN shows here, though not in row_maximum.
template <class Real>
SHARDSTONE_ROW_FUNCTION Real sum_of_exponentials(const Real* x, std::int64_t n, Real highest) {
    Real sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t c = 0; c < n; ++c) sum += exponential(x[c] - highest);
    return sum;
}

/// log(sum(exp(x))) of n > 0 elements, taking the maximum out first so that nothing overflows.
template <class Real>
Real log_sum_exp(const Real* x, std::int64_t n) {
    const Real highest = row_maximum(x, n);
    return highest + std::log(sum_of_exponentials(x, n, highest));
}

/// Turns n logits into probabilities, given their log_sum_exp.
template <class Real>
void softmax_row(Real* x, std::int64_t n, Real log_sum) {
#pragma omp simd
    for (std::int64_t c = 0; c < n; ++c) x[c] = exponential(x[c] - log_sum);
}

}  // namespace shardstone::detail
