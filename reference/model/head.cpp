// SPDX-License-Identifier: BSD-3-Clause
// The output head: final norm, tied logits and loss, with the vocabulary split over tensor ranks.
#include "reference/model/head.hpp"

#include <algorithm>

#include "kernels/transformer/cross_entropy.hpp"

namespace shardstone::reference {

template <class S, class R>
Computed Head<S, R>::compute(Computation computation, const HeadPass<S, R>& pass) const {
    const auto& [of, x, targets, kept, d_stream, scale, workspace] = pass;
    const Matrix<Real> maximum = matrix(workspace.logits_maximum, 1, std::ssize(targets));
    switch (computation) {
        case Computation::norm:
            return {{}, Rows(first_.norm(x, kept.norm, workspace.buffer))};
        case Computation::column_product:
            first_.linear().forward(first_.normed(kept.norm, workspace.buffer), nullptr,
                                    kept.logits);
            return {};
        case Computation::loss:
            return {{.loss = cross_entropy_forward<S>(kept.logits, targets, kept.log_sum_exp)}, {}};
        case Computation::logits_maximum:
            logits_maximum<S>(kept.logits, maximum.data);
            return {{}, Rows(maximum)};
        case Computation::logits_sums:
            return {{}, sums(pass)};
        case Computation::loss_of_sums:
            return {{.loss = loss_of_sums(pass)}, {}};
        case Computation::loss_gradient:
            return {{}, backward_loss(pass)};
        case Computation::norm_rows:
            return {{}, Rows(first_.norm_rows(kept.norm, workspace.buffer))};
        case Computation::column_weights:
            first_.backward_weights(kept.norm, kept.logits, workspace.buffer);
            return {};
        case Computation::norm_weights:
            first_.backward_norm_weights(x, kept.norm, d_normed(pass));
            return {};
        default:
            SHARDSTONE_EXPECTS(computation == Computation::norm_gradient);
            backward_norm(pass);
            return {};
    }
}

template <class S, class R>
Rows Head<S, R>::sums(const HeadPass<S, R>& pass) const {
    const std::int64_t n = std::ssize(pass.targets);
    Real* sums = pass.workspace.logits_sums;
    logits_sums<S>(pass.kept.logits, pass.targets, first_token_, pass.workspace.logits_maximum,
                   sums, sums + n);
    return Rows(matrix(sums, 2, n));
}

template <class S, class R>
double Head<S, R>::loss_of_sums(const HeadPass<S, R>& pass) const {
    const Real* sums = pass.workspace.logits_sums;
    return cross_entropy_of_sums<Real>(pass.targets, pass.workspace.logits_maximum, sums,
                                       sums + pass.targets.size(), pass.kept.log_sum_exp);
}

template <class S, class R>
Rows Head<S, R>::backward_loss(const HeadPass<S, R>& pass) const {
    cross_entropy_backward<S>(pass.kept.logits, pass.targets, pass.kept.log_sum_exp,
                              pass.gradient_scale, first_token_);
    return Rows(first_.backward_input(pass.kept.logits, pass.workspace.d_branch));
}

template <class S, class R>
Matrix<R> Head<S, R>::d_normed(const HeadPass<S, R>& pass) const {
    if (pass.pass == Pass::backward_weight) return pass.kept.d_normed;
    return stream_->own_rows(pass.workspace.d_branch.stream);
}

template <class S, class R>
void Head<S, R>::backward_norm(const HeadPass<S, R>& pass) const {
    std::fill_n(pass.d_stream.data, pass.d_stream.rows * pass.d_stream.columns, R{});
    first_.backward_norm(pass.x, pass.kept.norm, d_normed(pass), pass.d_stream);
    if (pass.pass == Pass::backward_input) copy_rows(d_normed(pass), pass.kept.d_normed);
}

template class Head<float>;
template class Head<double>;
template class Head<bf16>;
template class Head<fp16>;
template class Head<bf16, bf16>;

}  // namespace shardstone::reference
