// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/optimizer/gradient_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/tensor/row_function.hpp"

namespace shardstone {

namespace {

template <class Real>
SHARDSTONE_ROW_FUNCTION double block_sum(const Real* x, std::int64_t n) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) {
        sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    return sum;
}

}  // namespace

template <class Real>
double sum_of_squares(std::span<const Real> values) {
    const auto size = static_cast<std::int64_t>(values.size());
    double sum = 0.0;
    for (std::int64_t begin = 0; begin < size; begin += norm_block) {
        sum += block_sum(values.data() + begin, std::min(norm_block, size - begin));
    }
    return sum;
}

template double sum_of_squares(std::span<const float>);
template double sum_of_squares(std::span<const double>);

double clipping_factor(double norm, double limit) {
    if (!std::isfinite(norm)) return std::numeric_limits<double>::quiet_NaN();
    return limit > 0.0 && norm > limit ? limit / norm : 1.0;
}

}  // namespace shardstone
