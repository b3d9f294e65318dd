// SPDX-License-Identifier: BSD-3-Clause
// The computations of a pass backward through the experts of a block and their router.
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/expert_rows.hpp"
#include "kernels/transformer/gelu.hpp"
#include "kernels/transformer/linear.hpp"
#include "kernels/transformer/router.hpp"
#include "reference/model/experts/expert_branch.hpp"

namespace shardstone::reference {

template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::compute_backward(const UnitPhase& phase,
                                                     const BranchPass<S, R, Space>& pass) const {
    const NormActivations<S, Space>& norm = pass.kept.norm;
    switch (phase.computation) {
        case Computation::gradient_rows:
            return {Rows(stream_->place(pass.d_stream, pass.workspace.buffer.stored))};
        case Computation::combine_gradient:
            return combine_gradient(pass);
        case Computation::gate_gradient:
            return {gate_gradient(pass)};
        case Computation::row_gradient:
            row_gradient(pass);
            return {};
        case Computation::middle_gradient:
            middle_gradient(pass);
            return {};
        case Computation::input_gradient:
            return input_gradient(pass);
        case Computation::dispatch_gradient:
            return {dispatch_gradient(pass)};
        case Computation::router_gradient:
            router_gradient(pass);
            return {};
        case Computation::row_weights:
            row_weights(pass);
            return {};
        case Computation::column_weights:
            column_weights(pass);
            return {};
        case Computation::router_weights:
            router_backward_weight<S>(queue(), stream_->own_rows(gradients(pass).d_logits),
                                      norm.out, router_.d_weight);
            return {};
        case Computation::norm_weights:
            norm_.backward_norm_weights(pass.x, norm, gradients(pass).d_normed);
            return {};
        default:
            SHARDSTONE_EXPECTS(phase.computation == Computation::norm_gradient);
            norm_.backward_norm(pass.x, norm, stream_->own_rows(pass.workspace.d_branch.stream),
                                pass.d_stream);
            return {};
    }
}

/// Location of the gradients of this pass: the stash if it is split.
template <class S, class R, class Space>
BranchGradients<S, R, Space> ExpertBranch<S, R, Space>::gradients(
    const BranchPass<S, R, Space>& pass) const {
    if (pass.pass != Pass::backward) return pass.stash;
    const Matrix<S, Space>& wide = pass.kept.wide;
    return {pass.workspace.expert_gradients,
            matrix<Space>(pass.workspace.d_wide, wide.rows, wide.columns),
            stream_->own_rows(pass.workspace.d_branch.stream), pass.workspace.d_logits};
}

template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::combine_gradient(const BranchPass<S, R, Space>& pass) const {
    const Gates& kept = pass.kept.experts;
    const Matrix<S, Space> d_rows = gradients(pass).d_out;
    const Matrix<S, Space> all = is_alone() ? d_rows : pass.workspace.expert_rows;
    const Matrix<S, Space> to = all.rows_from(0, part_.sent_rows());
    if (part_.has_capacity()) clear_array(queue(), to.data, to.rows * to.columns);
    shardstone::dispatch_gradient<S>(queue(), d_out(pass), kept.rows, kept.choices,
                                     kept.probabilities, to);
    return send(kept, to, d_rows);
}

/// Of the tensor rank's part of what experts have returned.
template <class S, class R, class Space>
Rows ExpertBranch<S, R, Space>::gate_gradient(const BranchPass<S, R, Space>& pass) const {
    const Gates& kept = pass.kept.experts;
    gate_gradients<S>(queue(), d_out(pass), kept.returned, kept.rows, pass.workspace.d_gates);
    return Rows(pass.workspace.d_gates);
}

template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::row_gradient(const BranchPass<S, R, Space>& pass) const {
    const BranchGradients<S, R, Space> to = gradients(pass);
    for (const Block& block : blocks(pass.kept.experts)) {
        linear_backward_input<S, S>(queue(), block.of(to.d_out),
                                    experts_[block.expert].projection.weight, block.of(to.d_wide));
        stream_->meanwhile();
    }
}

template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::middle_gradient(const BranchPass<S, R, Space>& pass) const {
    const Matrix<S, Space> d_wide = gradients(pass).d_wide;
    for (const Block& block : blocks(pass.kept.experts)) {
        gelu_backward<S>(queue(), block.of(pass.kept.wide), block.of(d_wide));
    }
    stream_->meanwhile();
}

/// The experts' results are no longer needed: the returned gradients overwrite them.
template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::input_gradient(const BranchPass<S, R, Space>& pass) const {
    const Gates& kept = pass.kept.experts;
    const Matrix<S, Space> d_wide = gradients(pass).d_wide;
    const Matrix<S, Space> to = is_alone() ? kept.returned : pass.workspace.expert_rows;
    for (const Block& block : blocks(kept)) {
        linear_backward_input<S, S>(queue(), block.of(d_wide),
                                    experts_[block.expert].expansion.weight, block.of(to));
        stream_->meanwhile();
    }
    return send_back(kept, to, kept.returned);
}

template <class S, class R, class Space>
Rows ExpertBranch<S, R, Space>::dispatch_gradient(const BranchPass<S, R, Space>& pass) const {
    const Matrix<R, Space> to = pass.workspace.d_branch.stream;
    sum_rows<S, R>(queue(), pass.kept.experts.returned, pass.kept.experts.rows, to);
    return Rows(to);
}

/// Of the own rows of norm(x): those of the tensor ranks' sum.
template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::router_gradient(const BranchPass<S, R, Space>& pass) const {
    const Gates& kept = pass.kept.experts;
    const Matrix<Real, Space> d_logits = gradients(pass).d_logits;
    const auto factor = static_cast<Real>(static_cast<double>(pass.gradient_scale) *
                                          options_.balance * static_cast<double>(part_.experts) /
                                          static_cast<double>(part_.length * part_.top_k));
    const auto z = static_cast<Real>(static_cast<double>(pass.gradient_scale) * options_.z);
    for (std::int64_t b = 0; b < part_.sequences; ++b) {
        const std::int64_t first = b * part_.positions, count = part_.positions;
        router_backward<Real>(queue(), kept.probabilities.rows_from(first, count),
                              kept.choices.rows_from(first, count),
                              pass.workspace.d_gates.rows_from(first, count),
                              kept.log_sum_exp + first, kept.picks.row(b), factor, z,
                              d_logits.rows_from(first, count));
    }
    const Matrix<R, Space> d_normed = stream_->own_rows(pass.workspace.d_branch.stream);
    router_backward_input<S, R>(queue(), stream_->own_rows(d_logits), router_.weight, d_normed);
    if (pass.pass == Pass::backward_input) store_rows(queue(), d_normed, pass.stash.d_normed);
}

template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::row_weights(const BranchPass<S, R, Space>& pass) const {
    const Matrix<S, Space> d_rows = gradients(pass).d_out;
    for (const Block& block : blocks(pass.kept.experts)) {
        const LinearView<S, Space>& projection = experts_[block.expert].projection;
        const Matrix<S, Space> d = block.of(d_rows);
        linear_backward_parameters<S>(queue(), d, block.of(pass.kept.activated),
                                      projection.d_weight, nullptr);
        bias_backward<S>(queue(), d.columns_from(channels_.first, channels_.count),
                         projection.d_bias);
        stream_->meanwhile();
    }
}

template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::column_weights(const BranchPass<S, R, Space>& pass) const {
    const Matrix<S, Space> d_wide = gradients(pass).d_wide;
    for (const Block& block : blocks(pass.kept.experts)) {
        const LinearView<S, Space>& expansion = experts_[block.expert].expansion;
        linear_backward_parameters<S>(queue(), block.of(d_wide),
                                      block.of(pass.kept.experts.received), expansion.d_weight,
                                      expansion.d_bias);
        stream_->meanwhile();
    }
}

template class ExpertBranch<float>;
template class ExpertBranch<double>;
template class ExpertBranch<bf16>;
template class ExpertBranch<fp16>;
template class ExpertBranch<bf16, bf16>;
template class ExpertBranch<float, float, Paced>;
template class ExpertBranch<bf16, float, Paced>;
template class ExpertBranch<fp16, float, Paced>;
template class ExpertBranch<bf16, bf16, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class ExpertBranch<float, float, Cuda>;
template class ExpertBranch<bf16, float, Cuda>;
template class ExpertBranch<fp16, float, Cuda>;
template class ExpertBranch<bf16, bf16, Cuda>;
#endif

}  // namespace shardstone::reference
