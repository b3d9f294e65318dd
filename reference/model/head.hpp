// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "reference/model/activations.hpp"
#include "reference/model/parameter_views.hpp"
#include "reference/model/ready.hpp"

namespace shardstone::reference {

/// loss = cross_entropy(final_norm(x) E^T), E the token embedding that the head is tied to (Press
/// and Wolf 2017). Views only.
template <class Real>
class Head {
  public:
    Head(const ParameterLayout& layout, const GptConfig& config,
         const ParameterBuffers<Real>& buffers);

    /// Sum of the losses over the N rows of x (N, C); fills `to`.
    double forward(Matrix<Real> x, std::span<const Token> targets,
                   const HeadActivations<Real>& to) const;

    /// Overwrites workspace.d_residual by the gradient of x, and kept.logits by their gradient.
    /// Reports the final norm as final, the token embedding not: the input adds to it last of all.
    void backward(Matrix<Real> x, std::span<const Token> targets, const HeadActivations<Real>& kept,
                  const Workspace<Real>& workspace, Real gradient_scale, ReadyPrefix& ready) const;

  private:
    NormView<Real> norm_;
    Matrix<Real> embedding_, d_embedding_;  // (V, C)
};

extern template class Head<float>;
extern template class Head<double>;

}  // namespace shardstone::reference
