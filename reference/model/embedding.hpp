// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/model/normed_linear.hpp"
#include "reference/model/unit_phases.hpp"

namespace shardstone::reference {

/// Inputs and outputs of a pass of the embedding.
template <class S, class R, class Space>
struct EmbeddingPass {
    Pass pass;
    typename Space::template Span<const Token> tokens;  ///< N
    Matrix<R, Space> out;                               ///< (N', C)
    Matrix<R, Space> d_stream;                          ///< (N', C), of out
    Matrix<R, Space> stash;  ///< (N, C), only if the backward pass is split
    const PassWorkspace<S, R, Space>& workspace;
};

/// out = token embedding + position embedding. Each tensor rank has the table rows of its own
/// tokens, and all positions. Views only, but for the list of the rank's positions.
template <class S, class R = compute_t<S>, class Space = Host>
class Embedding {
  public:
    /// `first_token`: the first of the own tokens; `places`: the rank's positions of a sequence.
    /// `stream` must outlive this.
    Embedding(const LinearView<S, Space>& tokens, const LinearView<S, Space>& positions,
              std::int64_t first_token, const std::vector<std::int64_t>& places,
              const SplitStream<Space>& stream)
        : tokens_(tokens),
          positions_(positions),
          first_token_(first_token),
          places_(std::ssize(places)),
          stream_(&stream) {
        write_array(stream.queue(), places.data(), places_.data(), places_.size());
    }

    /// Runs a computation of a pass (unit_phases.hpp) and returns its result for the other tensor
    /// ranks. There is no gradient of an input: the first half of a backward pass only stores the
    /// inputs of the second in EmbeddingPass::stash.
    Rows compute(Computation computation, const EmbeddingPass<S, R, Space>& pass) const;

  private:
    Matrix<R, Space> d_out(const EmbeddingPass<S, R, Space>& pass) const;
    Rows look_up(const EmbeddingPass<S, R, Space>& pass) const;
    void add_positions(const EmbeddingPass<S, R, Space>& pass) const;
    Rows place_gradient(const EmbeddingPass<S, R, Space>& pass) const;
    void backward_tables(const EmbeddingPass<S, R, Space>& pass) const;

    LinearView<S, Space> tokens_, positions_;
    std::int64_t first_token_;
    Buffer<std::int64_t, Space> places_;
    const SplitStream<Space>* stream_;
};

extern template class Embedding<float>;
extern template class Embedding<double>;
extern template class Embedding<bf16>;
extern template class Embedding<fp16>;
extern template class Embedding<bf16, bf16>;

}  // namespace shardstone::reference
