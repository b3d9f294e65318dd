// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/transformer/attention.hpp"
#include "reference/model/activations.hpp"
#include "reference/model/linear_layer.hpp"

namespace shardstone::reference {

/// What is between the two products of an attention branch: wide = (Q, K, V) of the own heads,
/// activated = their outputs.
template <class S>
class Attention {
  public:
    explicit Attention(const AttentionShape& shape) : shape_(shape) {}

    /// From the norm's output (N, C).
    template <class R>
    void forward(const LinearLayer<S>& qkv, Matrix<S> normed, const BranchActivations<S>& to,
                 const PassWorkspace<S, R>& workspace) const {
        qkv.forward(normed, qkv.bias(), to.wide);
        attention_forward<S>(shape_, to.wide.data, to.activated.data, to.log_sum_exp,
                             workspace.attention);
    }

    /// Where backward() wants the gradient of `activated`: not where that of `wide` goes.
    template <class R>
    Matrix<S> d_activated(const PassWorkspace<S, R>& workspace, Matrix<S> d_wide) const {
        return matrix(workspace.d_branch.stored.data, d_wide.rows, shape_.channels());
    }
    template <class R>
    void backward(const BranchActivations<S>& kept, Matrix<S> d_activated, Matrix<S> d_wide,
                  const PassWorkspace<S, R>& workspace) const {
        attention_backward<S>(shape_, {kept.wide.data, kept.activated.data, kept.log_sum_exp},
                              d_activated.data, d_wide.data, workspace.attention);
    }

  private:
    AttentionShape shape_;
};

}  // namespace shardstone::reference
