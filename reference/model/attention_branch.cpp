// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/attention_branch.hpp"

#include "kernels/transformer/residual.hpp"
#include "reference/model/layers.hpp"

namespace shardstone::reference {

template <class Real>
void AttentionBranch<Real>::forward(const AttentionShape& shape, Matrix<Real> x,
                                    const AttentionActivations<Real>& to, Real* scratch) const {
    norm_forward(norm_, x, to.norm);
    linear_forward<Real>(to.norm.out, qkv_.weight, qkv_.bias, to.qkv);
    attention_forward<Real>(shape, to.qkv.data, to.heads.data, to.log_sum_exp, scratch);
    linear_forward<Real>(to.heads, projection_.weight, nullptr, to.out);
    bias_residual_forward<Real>(x, to.out, projection_.bias, to.out);
}

template <class Real>
void AttentionBranch<Real>::backward(const AttentionShape& shape, Matrix<Real> x,
                                     const AttentionActivations<Real>& kept,
                                     const Workspace<Real>& workspace, ReadyPrefix& ready) const {
    const Matrix<Real> d_residual = workspace.d_residual;
    const Matrix<Real> d_branch = workspace.d_branch;
    const Matrix<Real> d_qkv = matrix(workspace.d_wide.data, kept.qkv.rows, kept.qkv.columns);
    linear_backward(projection_, kept.heads, d_residual, d_branch, ready);
    attention_backward<Real>(shape, {kept.qkv.data, kept.heads.data, kept.log_sum_exp},
                             d_branch.data, d_qkv.data, workspace.attention);
    linear_backward(qkv_, kept.norm.out, d_qkv, d_branch, ready);
    norm_backward(norm_, x, kept.norm, d_branch, d_residual, ready);
}

template class AttentionBranch<float>;
template class AttentionBranch<double>;

}  // namespace shardstone::reference
