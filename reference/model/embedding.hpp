// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "reference/model/normed_linear.hpp"

namespace shardstone::reference {

/// out = token embedding + position embedding. Each tensor rank has the table rows of its own
/// tokens, and all positions. Views only.
template <class S>
class Embedding {
    using Real = compute_t<S>;

  public:
    /// `first_token` of the own ones. `stream` must outlive this.
    Embedding(const LinearView<S>& tokens, const LinearView<S>& positions, std::int64_t first_token,
              std::int64_t sequence, const SplitStream& stream)
        : tokens_(tokens),
          positions_(positions),
          first_token_(first_token),
          sequence_(sequence),
          stream_(&stream) {}

    /// out (N', C) of all N tokens.
    void forward(std::span<const Token> tokens, Matrix<Real> out,
                 const Workspace<S>& workspace) const;

    /// Adds the gradients of both tables, given that of out, d_stream (N', C). There is no input to
    /// have one: the first half only puts what the second needs into `stash` (N, C).
    void backward(BackwardHalf half, std::span<const Token> tokens, Matrix<Real> d_stream,
                  Matrix<Real> stash, const Workspace<S>& workspace) const;

  private:
    LinearView<S> tokens_, positions_;
    std::int64_t first_token_, sequence_;
    const SplitStream* stream_;
};

extern template class Embedding<float>;
extern template class Embedding<double>;
extern template class Embedding<bf16>;
extern template class Embedding<fp16>;

}  // namespace shardstone::reference
