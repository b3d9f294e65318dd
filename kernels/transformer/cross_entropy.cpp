// SPDX-License-Identifier: BSD-3-Clause
// Cross-entropy loss and its gradient, also for logits whose vocabulary is split over tensor ranks.
#include "kernels/transformer/cross_entropy.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/convert.hpp"
#include "kernels/tensor/for_each.hpp"
#include "kernels/transformer/softmax.hpp"

namespace shardstone {

namespace {

template <class Real>
double loss_of(Real log_sum_exp, Real target_logit) {
    return static_cast<double>(log_sum_exp) - static_cast<double>(target_logit);
}

template <class S>
inline compute_t<S> probability(S logit, compute_t<S> log_sum) {
    return decaying_exponential(static_cast<compute_t<S>>(logit) - log_sum);
}

}  // namespace

template <class S>
void cross_entropy_forward(HostQueue queue, Matrix<const S> logits,
                           std::span<const std::int32_t> targets, compute_t<S>* log_sum_exp,
                           double* loss) {
    using Real = compute_t<S>;
    for_each_row(queue, logits.rows, [=](std::int64_t r) {
        log_sum_exp[r] = detail::log_sum_exp(logits.row(r), logits.columns);
    });
    double sum = 0.0;
    for (std::int64_t r = 0; r < logits.rows; ++r) {
        const auto target = targets[static_cast<std::size_t>(r)];
        if (target >= 0) sum += loss_of(log_sum_exp[r], static_cast<Real>(logits.row(r)[target]));
    }
    *loss += sum;
}

template <class S>
void cross_entropy_backward(HostQueue queue, Matrix<S> logits,
                            std::span<const std::int32_t> targets, const compute_t<S>* log_sum_exp,
                            compute_t<S> scale, std::int64_t first_token) {
    using Real = compute_t<S>;
    for_each_row(queue, logits.rows, [=](std::int64_t r) {
        S* row = logits.row(r);
        const auto target = targets[static_cast<std::size_t>(r)];
        if (target < 0) {
            std::fill_n(row, logits.columns, S(Real(0)));
            return;
        }
        const Real log_sum = log_sum_exp[r];
        const std::int64_t column = detail::own_column(target, first_token, logits.columns);
        const Real at_target = column >= 0 ? probability(row[column], log_sum) : Real(0);
#pragma omp simd
        for (std::int64_t c = 0; c < logits.columns; ++c) {
            store(scale * probability(row[c], log_sum), row[c]);
        }
        // Rounded once, after the subtraction.
        if (column >= 0) store(scale * at_target - scale, row[column]);
    });
}

template <class S>
void logits_maximum(HostQueue queue, Matrix<const S> logits, compute_t<S>* maximum) {
    for_each_row(queue, logits.rows, [=](std::int64_t r) {
        maximum[r] = detail::row_maximum(logits.row(r), logits.columns);
    });
}

template <class S>
void logits_sums(HostQueue queue, Matrix<const S> logits, std::span<const std::int32_t> targets,
                 std::int64_t first_token, const compute_t<S>* maximum, compute_t<S>* sums,
                 compute_t<S>* target_logits) {
    using Real = compute_t<S>;
    for_each_row(queue, logits.rows, [=](std::int64_t r) {
        const S* row = logits.row(r);
        sums[r] = detail::sum_of_exponentials(row, logits.columns, maximum[r]);
        const std::int64_t column =
            detail::own_column(targets[static_cast<std::size_t>(r)], first_token, logits.columns);
        target_logits[r] = column >= 0 ? static_cast<Real>(row[column]) : Real(0);
    });
}

template <class Real>
void cross_entropy_of_sums(HostQueue, std::span<const std::int32_t> targets, const Real* maximum,
                           const Real* sums, const Real* target_logits, Real* log_sum_exp,
                           double* loss) {
    double sum = 0.0;
    for (std::size_t r = 0; r < targets.size(); ++r) {
        log_sum_exp[r] = maximum[r] + std::log(sums[r]);
        if (targets[r] >= 0) sum += loss_of(log_sum_exp[r], target_logits[r]);
    }
    *loss += sum;
}

#define SHARDSTONE_INSTANTIATE(S)                                                                  \
    template void cross_entropy_forward(HostQueue, Matrix<const S>, std::span<const std::int32_t>, \
                                        compute_t<S>*, double*);                                   \
    template void cross_entropy_backward(HostQueue, Matrix<S>, std::span<const std::int32_t>,      \
                                         const compute_t<S>*, compute_t<S>, std::int64_t);         \
    template void logits_maximum(HostQueue, Matrix<const S>, compute_t<S>*);                       \
    template void logits_sums(HostQueue, Matrix<const S>, std::span<const std::int32_t>,           \
                              std::int64_t, const compute_t<S>*, compute_t<S>*, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

template void cross_entropy_of_sums(HostQueue, std::span<const std::int32_t>, const float*,
                                    const float*, const float*, float*, double*);
template void cross_entropy_of_sums(HostQueue, std::span<const std::int32_t>, const double*,
                                    const double*, const double*, double*, double*);

}  // namespace shardstone
