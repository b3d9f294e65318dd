// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "reference/model/normed_linear.hpp"

namespace shardstone::reference {

/// loss = cross_entropy(final_norm(x) E^T), E the token embedding that the head is tied to (Press
/// and Wolf 2017), of which each tensor rank has the rows of its own tokens and so the columns of
/// the logits. Views only.
template <class S>
class Head {
    using Real = compute_t<S>;

  public:
    /// `first_token` of the own ones. `stream` must outlive this.
    Head(const NormView<S>& norm, const LinearView<S>& embedding, std::int64_t first_token,
         const SplitStream& stream)
        : first_(norm, embedding, stream), first_token_(first_token), stream_(&stream) {}

    /// Sum of the losses of x (N', C), over the rows of all ranks; fills `to`.
    double forward(Matrix<Real> x, std::span<const Target> targets, const HeadActivations<S>& to,
                   const Workspace<S>& workspace) const;

    /// Overwrites d_stream (N', C) by the gradient of x, and kept.logits by their gradient, from
    /// which the second half starts.
    void backward(BackwardHalf half, Matrix<Real> x, std::span<const Target> targets,
                  const HeadActivations<S>& kept, Matrix<Real> d_stream, Real gradient_scale,
                  const Workspace<S>& workspace) const;

  private:
    double shared_loss(std::span<const Target> targets, const HeadActivations<S>& to,
                       const Workspace<S>& workspace) const;

    NormedLinear<S> first_;
    std::int64_t first_token_;
    const SplitStream* stream_;
};

extern template class Head<float>;
extern template class Head<double>;
extern template class Head<bf16>;
extern template class Head<fp16>;

}  // namespace shardstone::reference
