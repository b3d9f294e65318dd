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
template <class S, class Middle>
class ResidualBranch {
    using Real = compute_t<S>;

  public:
    /// `stream` must outlive this.
    ResidualBranch(const NormedLinear<S>& first, const Middle& middle, const LinearLayer<S>& second,
                   const SplitStream& stream)
        : first_(first), middle_(middle), second_(second), stream_(&stream) {}

    /// What the backward pass needs: x (N', C); fills `to`.
    void forward_internals(Matrix<Real> x, const BranchActivations<S>& to,
                           const Workspace<S>& workspace) const;
    /// out (N', C) of internals that are there.
    void forward_return(Matrix<Real> x, const BranchActivations<S>& kept, Matrix<Real> out,
                        const Workspace<S>& workspace) const;

    /// d_stream (N', C): the gradient of out on entry, of x on return; left alone by the second
    /// half, which takes all it needs from `stash`, where the first has put it.
    void backward(BackwardHalf half, Matrix<Real> x, const BranchActivations<S>& kept,
                  Matrix<Real> d_stream, const BranchGradients<S>& stash,
                  const Workspace<S>& workspace) const;

  private:
    BranchGradients<S> in_workspace(const BranchActivations<S>& kept, Matrix<Real> d_stream,
                                    const Workspace<S>& workspace) const;
    Matrix<Real> backward_internals(const BranchActivations<S>& kept,
                                    const BranchGradients<S>& gradients,
                                    const Workspace<S>& workspace) const;
    void backward_weights(Matrix<Real> x, const BranchActivations<S>& kept,
                          const BranchGradients<S>& gradients, const Workspace<S>& workspace) const;

    NormedLinear<S> first_;
    Middle middle_;
    LinearLayer<S> second_;
    const SplitStream* stream_;
};

template <class S>
using AttentionBranch = ResidualBranch<S, Attention<S>>;
template <class S>
using MlpBranch = ResidualBranch<S, Mlp<S>>;

extern template class ResidualBranch<float, Attention<float>>;
extern template class ResidualBranch<float, Mlp<float>>;
extern template class ResidualBranch<double, Attention<double>>;
extern template class ResidualBranch<double, Mlp<double>>;
extern template class ResidualBranch<bf16, Attention<bf16>>;
extern template class ResidualBranch<bf16, Mlp<bf16>>;
extern template class ResidualBranch<fp16, Attention<fp16>>;
extern template class ResidualBranch<fp16, Mlp<fp16>>;

}  // namespace shardstone::reference
