// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/transformer/gelu.hpp"
#include "kernels/transformer/linear.hpp"
#include "reference/model/activations.hpp"
#include "reference/model/parameter_views.hpp"

namespace shardstone::reference {

/// What is between the two products of an MLP branch: wide = the own columns of the expansion,
/// activated = gelu(wide).
template <class Real>
class Mlp {
  public:
    /// From the norm's output (N, C).
    void forward(const LinearView<Real>& expansion, Matrix<Real> normed,
                 const BranchActivations<Real>& to, const Workspace<Real>&) const {
        linear_forward<Real>(normed, expansion.weight, nullptr, to.wide);
        bias_gelu_forward<Real>(to.wide, expansion.bias, to.activated);
    }

    /// Where backward() wants the gradient of `activated`: it works in place.
    Matrix<Real> d_activated(const Workspace<Real>&, Matrix<Real> d_wide) const { return d_wide; }
    void backward(const BranchActivations<Real>& kept, Matrix<Real>, Matrix<Real> d_wide,
                  const Workspace<Real>&) const {
        gelu_backward<Real>(kept.wide, d_wide);
    }
};

}  // namespace shardstone::reference
