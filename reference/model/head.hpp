// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "reference/model/normed_linear.hpp"
#include "reference/model/unit_phases.hpp"

namespace shardstone::reference {

/// Inputs and outputs of a pass of the head.
template <class S, class R, class Space>
struct HeadPass {
    using Real = compute_t<S>;
    template <class T>
    using Span = typename Space::template Span<T>;
    Pass pass;
    Matrix<R, Space> x;          ///< (N', C)
    Span<const Target> targets;  ///< N
    const HeadActivations<S, R, Space>&
        kept;                   ///< the backward pass overwrites the logits with their gradient
    Matrix<R, Space> d_stream;  ///< (N', C), overwritten by the gradient of x
    Real gradient_scale;
    const PassWorkspace<S, R, Space>& workspace;
    LossSums* sums;  ///< forward: receives the loss
};

/// loss = cross_entropy(final_norm(x) E^T), E the token embedding that the head is tied to (Press
/// and Wolf 2017), of which each tensor rank has the rows of its own tokens and thus the
/// corresponding columns of the logits. Views only.
template <class S, class R = compute_t<S>, class Space = Host>
class Head {
    using Real = compute_t<S>;

  public:
    /// `first_token`: the first of the own tokens. `stream` must outlive this.
    Head(const NormView<S, Space>& norm, const LinearView<S, Space>& embedding,
         std::int64_t first_token, const SplitStream<Space>& stream)
        : first_(norm, LinearLayer<S, Space>(stream.queue(), embedding), stream),
          first_token_(first_token),
          stream_(&stream) {}

    /// Runs a computation of a pass (unit_phases.hpp).
    Computed compute(Computation computation, const HeadPass<S, R, Space>& pass) const;

  private:
    Rows sums(const HeadPass<S, R, Space>& pass) const;
    void add_loss_of_sums(const HeadPass<S, R, Space>& pass) const;
    Rows backward_loss(const HeadPass<S, R, Space>& pass) const;
    Matrix<R, Space> d_normed(const HeadPass<S, R, Space>& pass) const;
    void backward_norm(const HeadPass<S, R, Space>& pass) const;

    NormedLinear<S, R, Space> first_;
    std::int64_t first_token_;
    const SplitStream<Space>* stream_;
};

extern template class Head<float>;
extern template class Head<double>;
extern template class Head<bf16>;
extern template class Head<fp16>;
extern template class Head<bf16, bf16>;

}  // namespace shardstone::reference
