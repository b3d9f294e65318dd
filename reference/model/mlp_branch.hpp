// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/activations.hpp"
#include "reference/model/parameter_views.hpp"
#include "reference/model/ready.hpp"

namespace shardstone::reference {

/// out = x + projection(gelu(expansion(norm2(x)))): the second half of a block. Views only.
template <class Real>
class MlpBranch {
  public:
    MlpBranch(const BlockSlots& slots, const ParameterBuffers<Real>& buffers)
        : norm_(slots.norm2, buffers),
          expansion_(slots.mlp_expansion, buffers),
          projection_(slots.mlp_projection, buffers) {}

    /// x (N, C); fills `to`.
    void forward(Matrix<Real> x, const MlpActivations<Real>& to) const;

    /// workspace.d_residual: the gradient of out on entry, of x on return.
    void backward(Matrix<Real> x, const MlpActivations<Real>& kept,
                  const Workspace<Real>& workspace, ReadyPrefix& ready) const;

  private:
    NormView<Real> norm_;
    LinearView<Real> expansion_, projection_;
};

extern template class MlpBranch<float>;
extern template class MlpBranch<double>;

}  // namespace shardstone::reference
