// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "reference/model/normed_linear.hpp"

namespace shardstone::reference {

/// loss = cross_entropy(final_norm(x) E^T), E the token embedding that the head is tied to (Press
/// and Wolf 2017), of which each tensor rank has the rows of its own tokens and so the columns of
/// the logits. Views only.
template <class Real>
class Head {
  public:
    /// `first_token` of the own ones. `stream` must outlive this.
    Head(const NormView<Real>& norm, const LinearView<Real>& embedding, std::int64_t first_token,
         const SplitStream<Real>& stream)
        : first_(norm, embedding, stream), first_token_(first_token), stream_(&stream) {}

    /// Sum of the losses of x (N', C), over the rows of all ranks; fills `to`.
    double forward(Matrix<Real> x, std::span<const Target> targets, const HeadActivations<Real>& to,
                   const Workspace<Real>& workspace) const;

    /// Overwrites d_stream (N', C) by the gradient of x, and kept.logits by their gradient, from
    /// which the second half starts.
    void backward(BackwardHalf half, Matrix<Real> x, std::span<const Target> targets,
                  const HeadActivations<Real>& kept, Matrix<Real> d_stream, Real gradient_scale,
                  const Workspace<Real>& workspace) const;

  private:
    double shared_loss(std::span<const Target> targets, const HeadActivations<Real>& to,
                       const Workspace<Real>& workspace) const;

    NormedLinear<Real> first_;
    std::int64_t first_token_;
    const SplitStream<Real>* stream_;
};

extern template class Head<float>;
extern template class Head<double>;

}  // namespace shardstone::reference
