// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/cross_entropy.hpp"

#include "kernels/tensor/for_each.hpp"
#include "kernels/transformer/softmax.hpp"

namespace shardstone {

template <class Real>
double cross_entropy_forward(Matrix<const Real> logits, std::span<const std::uint16_t> targets,
                             Real* log_sum_exp) {
    for_each_row(logits.rows, [=](std::int64_t r) {
        log_sum_exp[r] = detail::log_sum_exp(logits.row(r), logits.columns);
    });
    double sum = 0.0;
    for (std::int64_t r = 0; r < logits.rows; ++r) {
        const Real logit = logits.row(r)[targets[static_cast<std::size_t>(r)]];
        sum += static_cast<double>(log_sum_exp[r]) - static_cast<double>(logit);
    }
    return sum;
}

template <class Real>
void cross_entropy_backward(Matrix<Real> logits, std::span<const std::uint16_t> targets,
                            const Real* log_sum_exp, Real scale) {
    for_each_row(logits.rows, [=](std::int64_t r) {
        Real* row = logits.row(r);
        const Real log_sum = log_sum_exp[r];
#pragma omp simd
        for (std::int64_t c = 0; c < logits.columns; ++c) {
            row[c] = scale * exponential(row[c] - log_sum);
        }
        row[targets[static_cast<std::size_t>(r)]] -= scale;
    });
}

#define SHARDSTONE_INSTANTIATE(Real)                                                          \
    template double cross_entropy_forward(Matrix<const Real>, std::span<const std::uint16_t>, \
                                          Real*);                                             \
    template void cross_entropy_backward(Matrix<Real>, std::span<const std::uint16_t>,        \
                                         const Real*, Real);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
