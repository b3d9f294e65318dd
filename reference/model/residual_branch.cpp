// SPDX-License-Identifier: BSD-3-Clause
// Half a transformer block, attention or MLP, computation by computation under tensor ranks.
#include "reference/model/residual_branch.hpp"

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/residual.hpp"

namespace shardstone::reference {

template <class S, class Middle, class R, class Space>
Computed ResidualBranch<S, Middle, R, Space>::compute(const UnitPhase& phase,
                                                      const BranchPass<S, R, Space>& pass) const {
    const RowBuffer<S, R, Space>& buffer = pass.workspace.buffer;
    const NormActivations<S, Space>& norm = pass.kept.norm;
    switch (phase.computation) {
        case Computation::norm:
            return {Rows(first_.norm(pass.x, norm, buffer))};
        case Computation::column_product:
            multiply_columns(pass);
            return {};
        case Computation::middle:
        case Computation::middle_gradient:
            return middle(phase, pass);
        case Computation::row_product:
            return {multiply_rows(pass)};
        case Computation::residual:
            return_to_stream(pass);
            return {};
        case Computation::gradient_rows:
            return {place_gradient(pass)};
        case Computation::row_gradient:
            backward_rows(pass);
            return {};
        case Computation::input_gradient:
            return {backward_input(pass)};
        case Computation::row_weights:
            backward_row_weights(pass);
            return {};
        case Computation::norm_rows:
            return {Rows(first_.norm_rows(norm, buffer))};
        case Computation::column_weights:
            // d_out is no longer needed: the norm's output has replaced it in the buffer.
            first_.backward_weights(norm, gradients(pass).d_wide, buffer);
            return {};
        case Computation::norm_weights:
            first_.backward_norm_weights(pass.x, norm, gradients(pass).d_normed);
            return {};
        default:
            SHARDSTONE_EXPECTS(phase.computation == Computation::norm_gradient);
            backward_norm(pass);
            return {};
    }
}

template <class S, class Middle, class R, class Space>
void ResidualBranch<S, Middle, R, Space>::multiply_columns(
    const BranchPass<S, R, Space>& pass) const {
    const LinearLayer<S, Space>& linear = first_.linear();
    linear.forward(first_.normed(pass.kept.norm, pass.workspace.buffer), middle_.bias(linear),
                   pass.kept.wide);
    stream_->meanwhile();
}

template <class S, class Middle, class R, class Space>
Computed ResidualBranch<S, Middle, R, Space>::middle(const UnitPhase& phase,
                                                     const BranchPass<S, R, Space>& pass) const {
    const PassWorkspace<S, R, Space>& workspace = pass.workspace;
    Computed computed;
    if (phase.computation == Computation::middle) {
        computed = middle_.forward(phase.step, first_.linear(), pass.kept, workspace);
    } else {
        const Matrix<S, Space> d_wide = gradients(pass).d_wide;
        computed =
            middle_.backward(phase.step, pass.kept,
                             middle_.d_activated(pass.kept, workspace, d_wide), d_wide, workspace);
    }
    stream_->meanwhile();
    return computed;
}

template <class S, class Middle, class R, class Space>
Rows ResidualBranch<S, Middle, R, Space>::multiply_rows(const BranchPass<S, R, Space>& pass) const {
    const Matrix<R, Space> partial = stream_->partial(pass.out, pass.workspace.buffer.stream);
    second_.forward(pass.kept.activated, nullptr, partial);
    stream_->meanwhile();
    return Rows(partial);
}

template <class S, class Middle, class R, class Space>
void ResidualBranch<S, Middle, R, Space>::return_to_stream(
    const BranchPass<S, R, Space>& pass) const {
    const Matrix<R, Space> sum = stream_->partial(pass.out, pass.workspace.buffer.stream);
    // After the sum, so that it is added once.
    bias_residual_forward<S, R>(stream_->queue(), pass.x, stream_->own_rows(sum), second_.bias(),
                                pass.out);
}

/// Location of the gradients of this pass: the stash if it is split, otherwise where they need no
/// memory of their own.
template <class S, class Middle, class R, class Space>
BranchGradients<S, R, Space> ResidualBranch<S, Middle, R, Space>::gradients(
    const BranchPass<S, R, Space>& pass) const {
    if (pass.pass != Pass::backward) return pass.stash;
    const Matrix<S, Space>& wide = pass.kept.wide;
    return {stream_->whole(pass.d_stream, pass.workspace.buffer.stored),
            matrix<Space>(pass.workspace.d_wide, wide.rows, wide.columns),
            stream_->own_rows(pass.workspace.d_branch.stream)};
}

template <class S, class Middle, class R, class Space>
Rows ResidualBranch<S, Middle, R, Space>::place_gradient(
    const BranchPass<S, R, Space>& pass) const {
    if (pass.pass == Pass::backward) {
        return Rows(stream_->place(pass.d_stream, pass.workspace.buffer.stored));
    }
    store_rows(stream_->queue(), pass.d_stream, stream_->own_rows(pass.stash.d_out));
    return Rows(pass.stash.d_out);
}

template <class S, class Middle, class R, class Space>
void ResidualBranch<S, Middle, R, Space>::backward_rows(const BranchPass<S, R, Space>& pass) const {
    const BranchGradients<S, R, Space> to = gradients(pass);
    second_.backward_input(to.d_out, middle_.d_activated(pass.kept, pass.workspace, to.d_wide));
    stream_->meanwhile();
}

template <class S, class Middle, class R, class Space>
Rows ResidualBranch<S, Middle, R, Space>::backward_input(
    const BranchPass<S, R, Space>& pass) const {
    return Rows(first_.backward_input(gradients(pass).d_wide, pass.workspace.d_branch));
}

template <class S, class Middle, class R, class Space>
void ResidualBranch<S, Middle, R, Space>::backward_row_weights(
    const BranchPass<S, R, Space>& pass) const {
    const Matrix<S, Space> d_out = gradients(pass).d_out;
    second_.backward_weight(d_out, pass.kept.activated);
    stream_->meanwhile();
    second_.backward_bias(stream_->own_rows(d_out));
}

template <class S, class Middle, class R, class Space>
void ResidualBranch<S, Middle, R, Space>::backward_norm(const BranchPass<S, R, Space>& pass) const {
    const Matrix<R, Space> d_normed = stream_->own_rows(pass.workspace.d_branch.stream);
    if (pass.pass == Pass::backward_input)
        store_rows(stream_->queue(), d_normed, pass.stash.d_normed);
    first_.backward_norm(pass.x, pass.kept.norm, d_normed, pass.d_stream);
}

template class ResidualBranch<float, AttentionMiddle<float>>;
template class ResidualBranch<float, Mlp<float>>;
template class ResidualBranch<double, AttentionMiddle<double>>;
template class ResidualBranch<double, Mlp<double>>;
template class ResidualBranch<bf16, AttentionMiddle<bf16>>;
template class ResidualBranch<bf16, Mlp<bf16>>;
template class ResidualBranch<fp16, AttentionMiddle<fp16>>;
template class ResidualBranch<fp16, Mlp<fp16>>;
template class ResidualBranch<bf16, AttentionMiddle<bf16>, bf16>;
template class ResidualBranch<bf16, Mlp<bf16>, bf16>;
template class ResidualBranch<float, AttentionMiddle<float, Paced>, float, Paced>;
template class ResidualBranch<float, Mlp<float, Paced>, float, Paced>;
template class ResidualBranch<bf16, AttentionMiddle<bf16, Paced>, float, Paced>;
template class ResidualBranch<bf16, Mlp<bf16, Paced>, float, Paced>;
template class ResidualBranch<fp16, AttentionMiddle<fp16, Paced>, float, Paced>;
template class ResidualBranch<fp16, Mlp<fp16, Paced>, float, Paced>;
template class ResidualBranch<bf16, AttentionMiddle<bf16, Paced>, bf16, Paced>;
template class ResidualBranch<bf16, Mlp<bf16, Paced>, bf16, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class ResidualBranch<float, AttentionMiddle<float, Cuda>, float, Cuda>;
template class ResidualBranch<float, Mlp<float, Cuda>, float, Cuda>;
template class ResidualBranch<bf16, AttentionMiddle<bf16, Cuda>, float, Cuda>;
template class ResidualBranch<bf16, Mlp<bf16, Cuda>, float, Cuda>;
template class ResidualBranch<fp16, AttentionMiddle<fp16, Cuda>, float, Cuda>;
template class ResidualBranch<fp16, Mlp<fp16, Cuda>, float, Cuda>;
template class ResidualBranch<bf16, AttentionMiddle<bf16, Cuda>, bf16, Cuda>;
template class ResidualBranch<bf16, Mlp<bf16, Cuda>, bf16, Cuda>;
#endif

}  // namespace shardstone::reference
