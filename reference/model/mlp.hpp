// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/transformer/gelu.hpp"
#include "reference/model/activations.hpp"
#include "reference/model/linear_layer.hpp"
#include "reference/model/rows.hpp"

namespace shardstone::reference {

/// The computation between the two products of an MLP branch, in one step: wide = the own columns
/// of the expansion, without its bias before forward() and with it afterwards, activated =
/// gelu(wide).
template <class S, class Space = Host>
class Mlp {
  public:
    explicit Mlp(typename Space::Queue queue) : queue_(queue) {}

    /// The first product adds none: the bias is added with the GELU, in one pass over memory.
    static const S* bias(const LinearLayer<S, Space>&) { return nullptr; }
    template <class R>
    Computed forward(int, const LinearLayer<S, Space>& expansion,
                     const BranchActivations<S, Space>& to,
                     const PassWorkspace<S, R, Space>&) const {
        bias_gelu_forward<S>(queue_, to.wide, expansion.bias(), to.activated);
        return {};
    }

    /// Location of the gradient of `activated` for backward(), which works in place.
    template <class R>
    Matrix<S, Space> d_activated(const BranchActivations<S, Space>&,
                                 const PassWorkspace<S, R, Space>&, Matrix<S, Space> d_wide) const {
        return d_wide;
    }
    template <class R>
    Computed backward(int, const BranchActivations<S, Space>& kept, Matrix<S, Space>,
                      Matrix<S, Space> d_wide, const PassWorkspace<S, R, Space>&) const {
        gelu_backward<S>(queue_, kept.wide, d_wide);
        return {};
    }

  private:
    typename Space::Queue queue_;
};

}  // namespace shardstone::reference
