// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/head.hpp"

#include <algorithm>

#include "kernels/transformer/cross_entropy.hpp"
#include "reference/model/layers.hpp"

namespace shardstone::reference {

template <class Real>
Head<Real>::Head(const ParameterLayout& layout, const GptConfig& config,
                 const ParameterBuffers<Real>& buffers)
    : norm_(layout.final_norm(), buffers),
      embedding_(
          matrix(buffers.weights + layout.token_embedding(), config.vocabulary, config.channels)),
      d_embedding_(matrix(buffers.gradients + layout.token_embedding(), config.vocabulary,
                          config.channels)) {}

template <class Real>
double Head<Real>::forward(Matrix<Real> x, std::span<const Token> targets,
                           const HeadActivations<Real>& to) const {
    norm_forward(norm_, x, to.norm);
    linear_forward<Real>(to.norm.out, embedding_, nullptr, to.logits);
    return cross_entropy_forward<Real>(to.logits, targets, to.log_sum_exp);
}

template <class Real>
void Head<Real>::backward(Matrix<Real> x, std::span<const Token> targets,
                          const HeadActivations<Real>& kept, const Workspace<Real>& workspace,
                          Real gradient_scale, ReadyPrefix& ready) const {
    const Matrix<Real> d_logits = kept.logits;
    cross_entropy_backward<Real>(d_logits, targets, kept.log_sum_exp, gradient_scale);
    linear_backward_parameters<Real>(d_logits, kept.norm.out, d_embedding_, nullptr);
    ready.tick();
    linear_backward_input<Real>(d_logits, embedding_, workspace.d_branch);
    const Matrix<Real> d_residual = workspace.d_residual;
    std::fill(d_residual.data, d_residual.data + d_residual.rows * d_residual.columns, Real(0));
    norm_backward(norm_, x, kept.norm, workspace.d_branch, d_residual, ready);
}

template class Head<float>;
template class Head<double>;

}  // namespace shardstone::reference
