// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/residual_branch.hpp"

#include "kernels/transformer/residual.hpp"

namespace shardstone::reference {

template <class S, class Middle>
void ResidualBranch<S, Middle>::forward_internals(Matrix<Real> x, const BranchActivations<S>& to,
                                                  const Workspace<S>& workspace) const {
    const Matrix<S> normed = first_.normed(x, to.norm, workspace.room);
    middle_.forward(first_.linear(), normed, to, workspace);
    stream_->meanwhile();
}

template <class S, class Middle>
void ResidualBranch<S, Middle>::forward_return(Matrix<Real> x, const BranchActivations<S>& kept,
                                               Matrix<Real> out,
                                               const Workspace<S>& workspace) const {
    const Matrix<Real> partial = stream_->partial(out, workspace.room.real);
    second_.forward(kept.activated, nullptr, partial);
    stream_->meanwhile();
    // After the sum, so that it comes in once.
    bias_residual_forward<S>(x, stream_->reduced(partial), second_.bias(), out);
}

template <class S, class Middle>
BranchGradients<S> ResidualBranch<S, Middle>::in_workspace(const BranchActivations<S>& kept,
                                                           Matrix<Real> d_stream,
                                                           const Workspace<S>& workspace) const {
    return {stream_->collected(d_stream, workspace.room.stored),
            matrix(workspace.d_wide, kept.wide.rows, kept.wide.columns),
            {}};
}

template <class S, class Middle>
auto ResidualBranch<S, Middle>::backward_internals(const BranchActivations<S>& kept,
                                                   const BranchGradients<S>& gradients,
                                                   const Workspace<S>& workspace) const
    -> Matrix<Real> {
    const Matrix<S> d_activated = middle_.d_activated(workspace, gradients.d_wide);
    second_.backward_input(gradients.d_out, d_activated);
    stream_->meanwhile();
    middle_.backward(kept, d_activated, gradients.d_wide, workspace);
    stream_->meanwhile();
    return first_.backward_input(gradients.d_wide, workspace.d_branch);
}

template <class S, class Middle>
void ResidualBranch<S, Middle>::backward_weights(Matrix<Real> x, const BranchActivations<S>& kept,
                                                 const BranchGradients<S>& gradients,
                                                 const Workspace<S>& workspace) const {
    second_.backward_weight(gradients.d_out, kept.activated);
    stream_->meanwhile();
    second_.backward_bias(stream_->own_rows(gradients.d_out));
    // d_out is not needed any more: it may give way to the norm's output in the room.
    first_.backward_weights(x, kept.norm, gradients.d_wide, gradients.d_normed, workspace.room);
}

template <class S, class Middle>
void ResidualBranch<S, Middle>::backward(BackwardHalf half, Matrix<Real> x,
                                         const BranchActivations<S>& kept, Matrix<Real> d_stream,
                                         const BranchGradients<S>& stash,
                                         const Workspace<S>& workspace) const {
    if (half == BackwardHalf::weights) {
        backward_weights(x, kept, stash, workspace);
        return;
    }
    Matrix<Real> d_normed;
    if (half == BackwardHalf::input) {
        stream_->collected_copy(d_stream, stash.d_out);
        d_normed = backward_internals(kept, stash, workspace);
        copy_rows(d_normed, stash.d_normed);
    } else {
        BranchGradients<S> gradients = in_workspace(kept, d_stream, workspace);
        d_normed = gradients.d_normed = backward_internals(kept, gradients, workspace);
        backward_weights(x, kept, gradients, workspace);
    }
    first_.backward_norm(x, kept.norm, d_normed, d_stream);
}

template class ResidualBranch<float, Attention<float>>;
template class ResidualBranch<float, Mlp<float>>;
template class ResidualBranch<double, Attention<double>>;
template class ResidualBranch<double, Mlp<double>>;
template class ResidualBranch<bf16, Attention<bf16>>;
template class ResidualBranch<bf16, Mlp<bf16>>;
template class ResidualBranch<fp16, Attention<fp16>>;
template class ResidualBranch<fp16, Mlp<fp16>>;

}  // namespace shardstone::reference
