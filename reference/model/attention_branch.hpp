// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/activations.hpp"
#include "reference/model/parameter_views.hpp"
#include "reference/model/ready.hpp"

namespace shardstone::reference {

/// out = x + projection(attention(qkv(norm1(x)))): the first half of a block. Views only.
template <class Real>
class AttentionBranch {
  public:
    AttentionBranch(const BlockSlots& slots, const ParameterBuffers<Real>& buffers)
        : norm_(slots.norm1, buffers),
          qkv_(slots.qkv, buffers),
          projection_(slots.attention_projection, buffers) {}

    /// x (N, C); fills `to`. `scratch` as AttentionShape asks for.
    void forward(const AttentionShape& shape, Matrix<Real> x, const AttentionActivations<Real>& to,
                 Real* scratch) const;

    /// workspace.d_residual: the gradient of out on entry, of x on return.
    void backward(const AttentionShape& shape, Matrix<Real> x,
                  const AttentionActivations<Real>& kept, const Workspace<Real>& workspace,
                  ReadyPrefix& ready) const;

  private:
    NormView<Real> norm_;
    LinearView<Real> qkv_, projection_;
};

extern template class AttentionBranch<float>;
extern template class AttentionBranch<double>;

}  // namespace shardstone::reference
