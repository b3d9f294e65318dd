// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// The target of a position without a prediction: it contributes no loss and no gradient. Any other
/// negative target is treated alike.
inline constexpr std::int32_t ignored_target = -1;

namespace detail {

/// The column of the target, or -1 when it is not among these columns.
constexpr std::int64_t own_column(std::int32_t target, std::int64_t first_token,
                                  std::int64_t columns) {
    const std::int64_t column = target - first_token;
    return target >= 0 && column >= 0 && column < columns ? column : -1;
}

}  // namespace detail

// Logits and their gradient, which overwrites them, are in S, the only tensors of their size:
// computations on them are in Real = compute_t<S>, widened on reading.

/// Softmax and cross-entropy in nats over each row of logits (N, V); targets (N), each below V.
/// Adds to `loss` (1) the sum of log_sum_exp - logit[target] over the rows not ignored, accumulated
/// in double in row order, and keeps log_sum_exp (N) for backward; the logits are unchanged. On the
/// GPU rows are added in at most 1024 runs of equal length, each in row order, then the runs.
template <class S>
void cross_entropy_forward(HostQueue queue, Matrix<const S> logits,
                           std::span<const std::int32_t> targets, compute_t<S>* log_sum_exp,
                           double* loss);
template <class S>
void cross_entropy_forward(CudaQueue queue, Matrix<const S, Cuda> logits,
                           Cuda::Span<const std::int32_t> targets, compute_t<S>* log_sum_exp,
                           double* loss);

/// Overwrites logits with the gradient scale * (softmax(logits) - one_hot(target)), zeros in
/// ignored rows. The columns are the tokens [first_token, first_token + logits.columns), all or a
/// shard of the vocabulary; log_sum_exp (N) is over the whole of it.
template <class S>
void cross_entropy_backward(HostQueue queue, Matrix<S> logits,
                            std::span<const std::int32_t> targets, const compute_t<S>* log_sum_exp,
                            compute_t<S> scale, std::int64_t first_token = 0);
template <class S>
void cross_entropy_backward(CudaQueue queue, Matrix<S, Cuda> logits,
                            Cuda::Span<const std::int32_t> targets, const compute_t<S>* log_sum_exp,
                            compute_t<S> scale, std::int64_t first_token = 0);

/// cross_entropy_forward in three parts, for logits whose columns are distributed among ranks: each
/// rank's maxima, to be reduced to the largest; its sums and target logits, to be summed; and the
/// loss. With one shard, bitwise the same as cross_entropy_forward.
///
/// maximum (N): the largest logit of each row; -infinity if there are no columns.
template <class S>
void logits_maximum(HostQueue queue, Matrix<const S> logits, compute_t<S>* maximum);
template <class S>
void logits_maximum(CudaQueue queue, Matrix<const S, Cuda> logits, compute_t<S>* maximum);

/// sums (N): the sum of exp(logit - maximum) over the row's own columns, tokens [first_token,
/// first_token + logits.columns). target_logits (N): the target's logit, or 0 if it belongs to
/// another shard or is ignored. `maximum` (N) is over the whole vocabulary.
template <class S>
void logits_sums(HostQueue queue, Matrix<const S> logits, std::span<const std::int32_t> targets,
                 std::int64_t first_token, const compute_t<S>* maximum, compute_t<S>* sums,
                 compute_t<S>* target_logits);
template <class S>
void logits_sums(CudaQueue queue, Matrix<const S, Cuda> logits,
                 Cuda::Span<const std::int32_t> targets, std::int64_t first_token,
                 const compute_t<S>* maximum, compute_t<S>* sums, compute_t<S>* target_logits);

/// Adds to `loss` (1) the sum of the losses, from (N) numbers over the whole vocabulary, and keeps
/// log_sum_exp (N) = maximum + log(sums), which may be `maximum` or `sums` itself.
template <class Real>
void cross_entropy_of_sums(HostQueue queue, std::span<const std::int32_t> targets,
                           const Real* maximum, const Real* sums, const Real* target_logits,
                           Real* log_sum_exp, double* loss);
template <class Real>
void cross_entropy_of_sums(CudaQueue queue, Cuda::Span<const std::int32_t> targets,
                           const Real* maximum, const Real* sums, const Real* target_logits,
                           Real* log_sum_exp, double* loss);

}  // namespace shardstone
