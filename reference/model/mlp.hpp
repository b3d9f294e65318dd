// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/transformer/gelu.hpp"
#include "reference/model/activations.hpp"
#include "reference/model/linear_layer.hpp"

namespace shardstone::reference {

/// What is between the two products of an MLP branch: wide = the own columns of the expansion,
/// activated = gelu(wide).
template <class S>
class Mlp {
  public:
    /// From the norm's output (N, C).
    template <class R>
    void forward(const LinearLayer<S>& expansion, Matrix<S> normed, const BranchActivations<S>& to,
                 const PassWorkspace<S, R>&) const {
        expansion.forward(normed, nullptr, to.wide);
        bias_gelu_forward<S>(to.wide, expansion.bias(), to.activated);
    }

    /// Where backward() wants the gradient of `activated`: it works in place.
    template <class R>
    Matrix<S> d_activated(const PassWorkspace<S, R>&, Matrix<S> d_wide) const {
        return d_wide;
    }
    template <class R>
    void backward(const BranchActivations<S>& kept, Matrix<S>, Matrix<S> d_wide,
                  const PassWorkspace<S, R>&) const {
        gelu_backward<S>(kept.wide, d_wide);
    }
};

}  // namespace shardstone::reference
