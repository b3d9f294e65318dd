// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reference/model/attention.hpp"
#include "reference/model/mlp.hpp"
#include "reference/model/normed_linear.hpp"

namespace shardstone::reference {

/// Half a block: out = x + bias + sum over tensor ranks of activated W^T, activated =
/// middle(norm(x) V^T), where `Middle` is Attention or Mlp. The first product is column-parallel,
/// the second row-parallel, so that a pass meets the other ranks where it leaves the residual
/// stream and where it returns (Shoeybi et al. 2019). Views only.
template <class Real, class Middle>
class ResidualBranch {
  public:
    /// `stream` must outlive this.
    ResidualBranch(const NormedLinear<Real>& first, const Middle& middle,
                   const LinearView<Real>& second, const SplitStream<Real>& stream)
        : first_(first), middle_(middle), second_(second), stream_(&stream) {}

    /// What the backward pass needs: x (N', C); fills `to`.
    void forward_internals(Matrix<Real> x, const BranchActivations<Real>& to,
                           const Workspace<Real>& workspace) const;
    /// out (N', C) of internals that are there.
    void forward_return(Matrix<Real> x, const BranchActivations<Real>& kept, Matrix<Real> out,
                        const Workspace<Real>& workspace) const;

    /// d_stream (N', C): the gradient of out on entry, of x on return; left alone by the second
    /// half, which takes all it needs from `stash`, where the first has put it.
    void backward(BackwardHalf half, Matrix<Real> x, const BranchActivations<Real>& kept,
                  Matrix<Real> d_stream, const BranchGradients<Real>& stash,
                  const Workspace<Real>& workspace) const;

  private:
    BranchGradients<Real> in_workspace(const BranchActivations<Real>& kept, Matrix<Real> d_stream,
                                       const Workspace<Real>& workspace) const;
    Matrix<Real> backward_internals(const BranchActivations<Real>& kept,
                                    const BranchGradients<Real>& gradients,
                                    const Workspace<Real>& workspace) const;
    void backward_weights(Matrix<Real> x, const BranchActivations<Real>& kept,
                          const BranchGradients<Real>& gradients,
                          const Workspace<Real>& workspace) const;

    NormedLinear<Real> first_;
    Middle middle_;
    LinearView<Real> second_;
    const SplitStream<Real>* stream_;
};

template <class Real>
using AttentionBranch = ResidualBranch<Real, Attention<Real>>;
template <class Real>
using MlpBranch = ResidualBranch<Real, Mlp<Real>>;

extern template class ResidualBranch<float, Attention<float>>;
extern template class ResidualBranch<float, Mlp<float>>;
extern template class ResidualBranch<double, Attention<double>>;
extern template class ResidualBranch<double, Mlp<double>>;

}  // namespace shardstone::reference
