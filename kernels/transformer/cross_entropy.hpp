// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// Softmax and cross-entropy in nats over each row of logits (N, V); targets (N), each below V.
/// Returns the sum over rows of log_sum_exp - logit[target], added up in double in row order, and
/// keeps log_sum_exp (N) for backward; the logits stay as they are.
template <class Real>
double cross_entropy_forward(Matrix<const Real> logits, std::span<const std::uint16_t> targets,
                             Real* log_sum_exp);

/// Overwrites logits (N, V) by the gradient scale * (softmax(logits) - one_hot(target)).
template <class Real>
void cross_entropy_backward(Matrix<Real> logits, std::span<const std::uint16_t> targets,
                            const Real* log_sum_exp, Real scale);

}  // namespace shardstone
