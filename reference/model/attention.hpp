// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/transformer/attention.hpp"
#include "kernels/transformer/linear.hpp"
#include "reference/model/activations.hpp"
#include "reference/model/parameter_views.hpp"

namespace shardstone::reference {

/// What is between the two products of an attention branch: wide = (Q, K, V) of the own heads,
/// activated = their outputs.
template <class Real>
class Attention {
  public:
    explicit Attention(const AttentionShape& shape) : shape_(shape) {}

    /// From the norm's output (N, C).
    void forward(const LinearView<Real>& qkv, Matrix<Real> normed,
                 const BranchActivations<Real>& to, const Workspace<Real>& workspace) const {
        linear_forward<Real>(normed, qkv.weight, qkv.bias, to.wide);
        attention_forward<Real>(shape_, to.wide.data, to.activated.data, to.log_sum_exp,
                                workspace.attention);
    }

    /// Where backward() wants the gradient of `activated`: not where that of `wide` goes.
    Matrix<Real> d_activated(const Workspace<Real>& workspace, Matrix<Real> d_wide) const {
        return matrix(workspace.d_branch.data, d_wide.rows, shape_.channels());
    }
    void backward(const BranchActivations<Real>& kept, Matrix<Real> d_activated,
                  Matrix<Real> d_wide, const Workspace<Real>& workspace) const {
        attention_backward<Real>(shape_, {kept.wide.data, kept.activated.data, kept.log_sum_exp},
                                 d_activated.data, d_wide.data, workspace.attention);
    }

  private:
    AttentionShape shape_;
};

}  // namespace shardstone::reference
