// SPDX-License-Identifier: BSD-3-Clause
// The output head: final norm, tied logits and loss, with the vocabulary split over tensor ranks.
#include "reference/model/head.hpp"

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/cross_entropy.hpp"

namespace shardstone::reference {

namespace {

template <class S, class R, class Space>
std::int64_t positions_of(const HeadPass<S, R, Space>& pass) {
    return static_cast<std::int64_t>(pass.targets.size());
}

}  // namespace

template <class S, class R, class Space>
Computed Head<S, R, Space>::compute(Computation computation,
                                    const HeadPass<S, R, Space>& pass) const {
    const auto& [of, x, targets, kept, d_stream, scale, workspace, losses] = pass;
    const auto queue = stream_->queue();
    const Matrix<Real, Space> maximum =
        matrix<Space>(workspace.logits_maximum, 1, positions_of(pass));
    switch (computation) {
        case Computation::norm:
            return {Rows(first_.norm(x, kept.norm, workspace.buffer))};
        case Computation::column_product:
            first_.linear().forward(first_.normed(kept.norm, workspace.buffer), nullptr,
                                    kept.logits);
            return {};
        case Computation::loss:
            cross_entropy_forward<S>(queue, kept.logits, targets, kept.log_sum_exp, &losses->loss);
            return {};
        case Computation::logits_maximum:
            logits_maximum<S>(queue, kept.logits, maximum.data);
            return {Rows(maximum)};
        case Computation::logits_sums:
            return {sums(pass)};
        case Computation::loss_of_sums:
            add_loss_of_sums(pass);
            return {};
        case Computation::loss_gradient:
            return {backward_loss(pass)};
        case Computation::norm_rows:
            return {Rows(first_.norm_rows(kept.norm, workspace.buffer))};
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

template <class S, class R, class Space>
Rows Head<S, R, Space>::sums(const HeadPass<S, R, Space>& pass) const {
    const std::int64_t n = positions_of(pass);
    Real* sums = pass.workspace.logits_sums;
    logits_sums<S>(stream_->queue(), pass.kept.logits, pass.targets, first_token_,
                   pass.workspace.logits_maximum, sums, sums + n);
    return Rows(matrix<Space>(sums, 2, n));
}

template <class S, class R, class Space>
void Head<S, R, Space>::add_loss_of_sums(const HeadPass<S, R, Space>& pass) const {
    const Real* sums = pass.workspace.logits_sums;
    cross_entropy_of_sums<Real>(stream_->queue(), pass.targets, pass.workspace.logits_maximum, sums,
                                sums + pass.targets.size(), pass.kept.log_sum_exp,
                                &pass.sums->loss);
}

template <class S, class R, class Space>
Rows Head<S, R, Space>::backward_loss(const HeadPass<S, R, Space>& pass) const {
    cross_entropy_backward<S>(stream_->queue(), pass.kept.logits, pass.targets,
                              pass.kept.log_sum_exp, pass.gradient_scale, first_token_);
    return Rows(first_.backward_input(pass.kept.logits, pass.workspace.d_branch));
}

template <class S, class R, class Space>
Matrix<R, Space> Head<S, R, Space>::d_normed(const HeadPass<S, R, Space>& pass) const {
    if (pass.pass == Pass::backward_weight) return pass.kept.d_normed;
    return stream_->own_rows(pass.workspace.d_branch.stream);
}

template <class S, class R, class Space>
void Head<S, R, Space>::backward_norm(const HeadPass<S, R, Space>& pass) const {
    clear_array(stream_->queue(), pass.d_stream.data, pass.d_stream.rows * pass.d_stream.columns);
    first_.backward_norm(pass.x, pass.kept.norm, d_normed(pass), pass.d_stream);
    if (pass.pass == Pass::backward_input) {
        store_rows(stream_->queue(), d_normed(pass), pass.kept.d_normed);
    }
}

template class Head<float>;
template class Head<double>;
template class Head<bf16>;
template class Head<fp16>;
template class Head<bf16, bf16>;
template class Head<float, float, Paced>;
template class Head<bf16, float, Paced>;
template class Head<fp16, float, Paced>;
template class Head<bf16, bf16, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class Head<float, float, Cuda>;
template class Head<bf16, float, Cuda>;
template class Head<fp16, float, Cuda>;
template class Head<bf16, bf16, Cuda>;
#endif

}  // namespace shardstone::reference
