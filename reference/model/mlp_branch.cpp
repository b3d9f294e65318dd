// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/mlp_branch.hpp"

#include "kernels/transformer/gelu.hpp"
#include "kernels/transformer/residual.hpp"
#include "reference/model/layers.hpp"

namespace shardstone::reference {

template <class Real>
void MlpBranch<Real>::forward(Matrix<Real> x, const MlpActivations<Real>& to) const {
    norm_forward(norm_, x, to.norm);
    linear_forward<Real>(to.norm.out, expansion_.weight, nullptr, to.expanded);
    bias_gelu_forward<Real>(to.expanded, expansion_.bias, to.activated);
    linear_forward<Real>(to.activated, projection_.weight, nullptr, to.out);
    bias_residual_forward<Real>(x, to.out, projection_.bias, to.out);
}

template <class Real>
void MlpBranch<Real>::backward(Matrix<Real> x, const MlpActivations<Real>& kept,
                               const Workspace<Real>& workspace, ReadyPrefix& ready) const {
    const Matrix<Real> d_residual = workspace.d_residual;
    const Matrix<Real> d_branch = workspace.d_branch;
    linear_backward(projection_, kept.activated, d_residual, workspace.d_wide, ready);
    gelu_backward<Real>(kept.expanded, workspace.d_wide);
    linear_backward(expansion_, kept.norm.out, workspace.d_wide, d_branch, ready);
    norm_backward(norm_, x, kept.norm, d_branch, d_residual, ready);
}

template class MlpBranch<float>;
template class MlpBranch<double>;

}  // namespace shardstone::reference
