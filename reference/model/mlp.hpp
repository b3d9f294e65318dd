// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/transformer/gelu.hpp"
#include "reference/model/activations.hpp"
#include "reference/model/linear_layer.hpp"
#include "reference/model/rows.hpp"

namespace shardstone::reference {

/// What is between the two products of an MLP branch, in one step: wide = the own columns of the
/// expansion, without its bias before forward() and with it after, activated = gelu(wide).
template <class S>
class Mlp {
  public:
    /// The first product adds none: it comes in with the GELU, in one go over memory.
    static const S* bias(const LinearLayer<S>&) { return nullptr; }
    template <class R>
    Computed forward(int, const LinearLayer<S>& expansion, const BranchActivations<S>& to,
                     const PassWorkspace<S, R>&) const {
        bias_gelu_forward<S>(to.wide, expansion.bias(), to.activated);
        return {};
    }

    /// Where backward() wants the gradient of `activated`: it works in place.
    template <class R>
    Matrix<S> d_activated(const BranchActivations<S>&, const PassWorkspace<S, R>&,
                          Matrix<S> d_wide) const {
        return d_wide;
    }
    template <class R>
    Computed backward(int, const BranchActivations<S>& kept, Matrix<S>, Matrix<S> d_wide,
                      const PassWorkspace<S, R>&) const {
        gelu_backward<S>(kept.wide, d_wide);
        return {};
    }
};

}  // namespace shardstone::reference
