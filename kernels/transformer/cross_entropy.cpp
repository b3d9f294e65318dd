// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/cross_entropy.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/tensor/for_each.hpp"
#include "kernels/transformer/softmax.hpp"

namespace shardstone {

namespace {

/// The column of the target, or -1 when it is not among these columns.
std::int64_t own_column(std::int32_t target, std::int64_t first_token, std::int64_t columns) {
    const std::int64_t column = target - first_token;
    return target >= 0 && column >= 0 && column < columns ? column : -1;
}

template <class Real>
double loss_of(Real log_sum_exp, Real target_logit) {
    return static_cast<double>(log_sum_exp) - static_cast<double>(target_logit);
}

}  // namespace

template <class Real>
double cross_entropy_forward(Matrix<const Real> logits, std::span<const std::int32_t> targets,
                             Real* log_sum_exp) {
    for_each_row(logits.rows, [=](std::int64_t r) {
        log_sum_exp[r] = detail::log_sum_exp(logits.row(r), logits.columns);
    });
    double sum = 0.0;
    for (std::int64_t r = 0; r < logits.rows; ++r) {
        const auto target = targets[static_cast<std::size_t>(r)];
        if (target >= 0) sum += loss_of(log_sum_exp[r], logits.row(r)[target]);
    }
    return sum;
}

template <class Real>
void cross_entropy_backward(Matrix<Real> logits, std::span<const std::int32_t> targets,
                            const Real* log_sum_exp, Real scale, std::int64_t first_token) {
    for_each_row(logits.rows, [=](std::int64_t r) {
        Real* row = logits.row(r);
        const auto target = targets[static_cast<std::size_t>(r)];
        if (target < 0) {
            std::fill_n(row, logits.columns, Real(0));
            return;
        }
        const Real log_sum = log_sum_exp[r];
#pragma omp simd
        for (std::int64_t c = 0; c < logits.columns; ++c) {
            row[c] = scale * exponential(row[c] - log_sum);
        }
        const std::int64_t column = own_column(target, first_token, logits.columns);
        if (column >= 0) row[column] -= scale;
    });
}

template <class Real>
void logits_maximum(Matrix<const Real> logits, Real* maximum) {
    for_each_row(logits.rows, [=](std::int64_t r) {
        maximum[r] = detail::row_maximum(logits.row(r), logits.columns);
    });
}

template <class Real>
void logits_sums(Matrix<const Real> logits, std::span<const std::int32_t> targets,
                 std::int64_t first_token, const Real* maximum, Real* sums, Real* target_logits) {
    for_each_row(logits.rows, [=](std::int64_t r) {
        const Real* row = logits.row(r);
        sums[r] = detail::sum_of_exponentials(row, logits.columns, maximum[r]);
        const std::int64_t column =
            own_column(targets[static_cast<std::size_t>(r)], first_token, logits.columns);
        target_logits[r] = column >= 0 ? row[column] : Real(0);
    });
}

template <class Real>
double cross_entropy_of_sums(std::span<const std::int32_t> targets, const Real* maximum,
                             const Real* sums, const Real* target_logits, Real* log_sum_exp) {
    double sum = 0.0;
    for (std::size_t r = 0; r < targets.size(); ++r) {
        log_sum_exp[r] = maximum[r] + std::log(sums[r]);
        if (targets[r] >= 0) sum += loss_of(log_sum_exp[r], target_logits[r]);
    }
    return sum;
}

#define SHARDSTONE_INSTANTIATE(Real)                                                               \
    template double cross_entropy_forward(Matrix<const Real>, std::span<const std::int32_t>,       \
                                          Real*);                                                  \
    template void cross_entropy_backward(Matrix<Real>, std::span<const std::int32_t>, const Real*, \
                                         Real, std::int64_t);                                      \
    template void logits_maximum(Matrix<const Real>, Real*);                                       \
    template void logits_sums(Matrix<const Real>, std::span<const std::int32_t>, std::int64_t,     \
                              const Real*, Real*, Real*);                                          \
    template double cross_entropy_of_sums(std::span<const std::int32_t>, const Real*, const Real*, \
                                          const Real*, Real*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
