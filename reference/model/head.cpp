// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/head.hpp"

#include <algorithm>

#include "kernels/transformer/cross_entropy.hpp"
#include "kernels/transformer/linear.hpp"

namespace shardstone::reference {

template <class Real>
double Head<Real>::forward(Matrix<Real> x, std::span<const Target> targets,
                           const HeadActivations<Real>& to,
                           const Workspace<Real>& workspace) const {
    const Matrix<Real> normed = first_.normed(x, to.norm, workspace.room);
    linear_forward<Real>(normed, first_.linear().weight, nullptr, to.logits);
    if (stream_->alone()) return cross_entropy_forward<Real>(to.logits, targets, to.log_sum_exp);
    return shared_loss(targets, to, workspace);
}

template <class Real>
double Head<Real>::shared_loss(std::span<const Target> targets, const HeadActivations<Real>& to,
                               const Workspace<Real>& workspace) const {
    const std::size_t rows = targets.size();
    Real* maximum = workspace.logits_maximum;
    Real* sums = workspace.logits_sums;
    Real* target_logits = sums + rows;
    logits_maximum<Real>(to.logits, maximum);
    stream_->tensor().max({maximum, rows});
    logits_sums<Real>(to.logits, targets, first_token_, maximum, sums, target_logits);
    stream_->tensor().sum({sums, 2 * rows});
    return cross_entropy_of_sums<Real>(targets, maximum, sums, target_logits, to.log_sum_exp);
}

template <class Real>
void Head<Real>::backward(BackwardHalf half, Matrix<Real> x, std::span<const Target> targets,
                          const HeadActivations<Real>& kept, Matrix<Real> d_stream,
                          Real gradient_scale, const Workspace<Real>& workspace) const {
    const Matrix<Real> d_logits = kept.logits;
    Matrix<Real> d_normed = kept.d_normed;
    if (half != BackwardHalf::weights) {
        cross_entropy_backward<Real>(d_logits, targets, kept.log_sum_exp, gradient_scale,
                                     first_token_);
        d_normed = first_.backward_input(d_logits, workspace.d_branch);
        std::fill_n(d_stream.data, d_stream.rows * d_stream.columns, Real(0));
        first_.backward_norm(x, kept.norm, d_normed, d_stream);
    }
    if (half == BackwardHalf::input) {
        copy_rows(d_normed, kept.d_normed);
    } else {
        first_.backward_weights(x, kept.norm, d_logits, d_normed, workspace.room);
    }
}

template class Head<float>;
template class Head<double>;

}  // namespace shardstone::reference
