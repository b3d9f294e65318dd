// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/residual_branch.hpp"

#include "kernels/transformer/linear.hpp"
#include "kernels/transformer/residual.hpp"

namespace shardstone::reference {

template <class Real, class Middle>
void ResidualBranch<Real, Middle>::forward_internals(Matrix<Real> x,
                                                     const BranchActivations<Real>& to,
                                                     const Workspace<Real>& workspace) const {
    const Matrix<Real> normed = first_.normed(x, to.norm, workspace.room);
    middle_.forward(first_.linear(), normed, to, workspace);
    stream_->meanwhile();
}

template <class Real, class Middle>
void ResidualBranch<Real, Middle>::forward_return(Matrix<Real> x,
                                                  const BranchActivations<Real>& kept,
                                                  Matrix<Real> out,
                                                  const Workspace<Real>& workspace) const {
    const Matrix<Real> partial = stream_->partial(out, workspace.room);
    linear_forward<Real>(kept.activated, second_.weight, nullptr, partial);
    stream_->meanwhile();
    // After the sum, so that it comes in once.
    bias_residual_forward<Real>(x, stream_->reduced(partial), second_.bias, out);
}

template <class Real, class Middle>
BranchGradients<Real> ResidualBranch<Real, Middle>::in_workspace(
    const BranchActivations<Real>& kept, Matrix<Real> d_stream,
    const Workspace<Real>& workspace) const {
    return {stream_->collected(d_stream, workspace.room),
            matrix(workspace.d_wide, kept.wide.rows, kept.wide.columns),
            {}};
}

template <class Real, class Middle>
Matrix<Real> ResidualBranch<Real, Middle>::backward_internals(
    const BranchActivations<Real>& kept, const BranchGradients<Real>& gradients,
    const Workspace<Real>& workspace) const {
    const Matrix<Real> d_activated = middle_.d_activated(workspace, gradients.d_wide);
    linear_backward_input<Real>(gradients.d_out, second_.weight, d_activated);
    stream_->meanwhile();
    middle_.backward(kept, d_activated, gradients.d_wide, workspace);
    stream_->meanwhile();
    return first_.backward_input(gradients.d_wide, workspace.d_branch);
}

template <class Real, class Middle>
void ResidualBranch<Real, Middle>::backward_weights(Matrix<Real> x,
                                                    const BranchActivations<Real>& kept,
                                                    const BranchGradients<Real>& gradients,
                                                    const Workspace<Real>& workspace) const {
    linear_backward_parameters<Real>(gradients.d_out, kept.activated, second_.d_weight, nullptr);
    stream_->meanwhile();
    bias_backward<Real>(stream_->own_rows(gradients.d_out), second_.d_bias);
    // d_out is not needed any more: it may give way to the norm's output in the room.
    first_.backward_weights(x, kept.norm, gradients.d_wide, gradients.d_normed, workspace.room);
}

template <class Real, class Middle>
void ResidualBranch<Real, Middle>::backward(BackwardHalf half, Matrix<Real> x,
                                            const BranchActivations<Real>& kept,
                                            Matrix<Real> d_stream,
                                            const BranchGradients<Real>& stash,
                                            const Workspace<Real>& workspace) const {
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
        BranchGradients<Real> gradients = in_workspace(kept, d_stream, workspace);
        d_normed = gradients.d_normed = backward_internals(kept, gradients, workspace);
        backward_weights(x, kept, gradients, workspace);
    }
    first_.backward_norm(x, kept.norm, d_normed, d_stream);
}

template class ResidualBranch<float, Attention<float>>;
template class ResidualBranch<float, Mlp<float>>;
template class ResidualBranch<double, Attention<double>>;
template class ResidualBranch<double, Mlp<double>>;

}  // namespace shardstone::reference
