// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/head.hpp"

#include <algorithm>

#include "kernels/transformer/cross_entropy.hpp"

namespace shardstone::reference {

template <class S>
double Head<S>::forward(Matrix<Real> x, std::span<const Target> targets,
                        const HeadActivations<S>& to, const Workspace<S>& workspace) const {
    const Matrix<S> normed = first_.normed(x, to.norm, workspace.room);
    first_.linear().forward(normed, nullptr, to.logits);
    if (stream_->alone()) return cross_entropy_forward<S>(to.logits, targets, to.log_sum_exp);
    return shared_loss(targets, to, workspace);
}

template <class S>
double Head<S>::shared_loss(std::span<const Target> targets, const HeadActivations<S>& to,
                            const Workspace<S>& workspace) const {
    const std::int64_t n = std::ssize(targets);
    Real* maximum = workspace.logits_maximum;
    Real* sums = workspace.logits_sums;
    Real* target_logits = sums + n;
    logits_maximum<S>(to.logits, maximum);
    stream_->tensor().max(Rows(matrix(maximum, 1, n)));
    logits_sums<S>(to.logits, targets, first_token_, maximum, sums, target_logits);
    stream_->tensor().sum(Rows(matrix(sums, 2, n)));
    return cross_entropy_of_sums<Real>(targets, maximum, sums, target_logits, to.log_sum_exp);
}

template <class S>
void Head<S>::backward(BackwardHalf half, Matrix<Real> x, std::span<const Target> targets,
                       const HeadActivations<S>& kept, Matrix<Real> d_stream, Real gradient_scale,
                       const Workspace<S>& workspace) const {
    const Matrix<S> d_logits = kept.logits;
    Matrix<Real> d_normed = kept.d_normed;
    if (half != BackwardHalf::weights) {
        cross_entropy_backward<S>(d_logits, targets, kept.log_sum_exp, gradient_scale,
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
template class Head<bf16>;
template class Head<fp16>;

}  // namespace shardstone::reference
