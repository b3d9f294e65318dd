// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/matrix.hpp"
#include "reference/model/part_shape.hpp"
#include "reference/model/token.hpp"

namespace shardstone::reference {

// N = the rank's positions (ModelPart::positions), N' = its own rows of the residual stream
// (ModelPart::stream_rows), H own heads of D channels, F own columns of the MLP's 4C, V own tokens
// of the vocabulary. S is the type that products read and write, R that of the residual stream and
// its gradient: Real = compute_t<S>, or S.

/// A norm's output and the moments that its backward needs.
template <class S, class Space = Host>
struct NormActivations {
    Matrix<S, Space> out;          ///< (N', C)
    compute_t<S>* mean = nullptr;  ///< (N')
    compute_t<S>* rstd = nullptr;  ///< (N')
};

/// Activations kept by the experts of a block; for the sizes, see ExpertPart.
template <class S, class Space = Host>
struct ExpertActivations {
    using Real = compute_t<S>;
    Matrix<Real, Space> probabilities;  ///< (N, E), before the softmax the logits
    Real* log_sum_exp = nullptr;        ///< (N), of the logits
    Matrix<Real, Space> picks;          ///< (B, E): number of picks of each in a whole sequence
    Matrix<std::int32_t, Space> choices, rows;  ///< (N, K): experts, and rows of `returned`, or -1
    Matrix<Real, Space>
        row_counts;  ///< (P, E): rows of each rank for each expert; only without a capacity
    Matrix<S, Space> received;  ///< (received rows, C)
    Matrix<S, Space> returned;  ///< (sent rows, C); in the backward pass, the returned gradients
};

/// Activations kept by a branch between leaving the residual stream and returning to it.
template <class S, class Space = Host>
struct BranchActivations {
    NormActivations<S, Space> norm;
    Matrix<S, Space> wide;                ///< of the first product: (N, 3HD), or (N, F) before GELU
    Matrix<S, Space> activated;           ///< for the second product: (N, HD), or (N, F) after GELU
    compute_t<S>* log_sum_exp = nullptr;  ///< of attention: (B, H, own positions)
    ExpertActivations<S, Space> experts;  ///< in place of an MLP; N above is then received rows
};

/// The gradients from which those of a branch's weights are computed.
template <class S, class R, class Space>
struct BranchGradients {
    Matrix<S, Space> d_out;     ///< (N, C), of the second product; of experts (received rows, C)
    Matrix<S, Space> d_wide;    ///< as BranchActivations::wide
    Matrix<R, Space> d_normed;  ///< (N', C), of the norm's output
    Matrix<compute_t<S>, Space> d_logits = {};  ///< (N, E), of a router
};

template <class S, class R, class Space>
struct BlockActivations {
    BranchActivations<S, Space> attention, mlp;
    Matrix<R, Space> middle;  ///< (N', C), the residual stream between the branches
};

template <class S, class R, class Space>
struct BlockGradients {
    BranchGradients<S, R, Space> attention, mlp;
};

template <class S, class R, class Space>
struct HeadActivations {
    NormActivations<S, Space> norm;
    Matrix<S, Space> logits;              ///< (N, V), rows padded to whole cache lines
    compute_t<S>* log_sum_exp = nullptr;  ///< (N), over the whole vocabulary
    Matrix<R, Space> d_normed;            ///< (N', C), only if the backward pass is split
};

/// Activations of one micro-batch in one chunk of a model.
template <class S, class R, class Space>
struct ChunkActivations {
    std::vector<Matrix<R, Space>>
        stream;  ///< (N', C) each: the input, and the output of each block
    std::vector<BlockActivations<S, R, Space>>
        blocks;  ///< recomputed tensors are shared by all slots
    std::vector<BlockGradients<S, R, Space>> gradients;  ///< only if the backward pass is split
    HeadActivations<S, R, Space> head;
    Matrix<R, Space> d_embedded;    ///< (N, C), only if the backward pass is split
    Buffer<Token, Space> tokens;    ///< (N), of a chunk with the embedding
    Buffer<Target, Space> targets;  ///< (N), with the head
};

/// (N, C) numbers in R or, at other times and in the same memory, in S.
template <class S, class R, class Space>
struct RowBuffer {
    Matrix<R, Space> stream;
    Matrix<S, Space> stored;
};

/// Memory shared by all passes.
template <class S, class R, class Space>
struct PassWorkspace {
    using Real = compute_t<S>;
    RowBuffer<S, R, Space> d_branch;
    S* d_wide = nullptr;  ///< (N, 3HD) and (N, F), of experts (received rows, F)
    /// For SplitStream: only with sequence parallelism; `stored` also if S is not R.
    RowBuffer<S, R, Space> buffer;
    /// The factors of a product in FP8, only with PartShape::fp8_products. W = max(C, 3HD, F):
    /// left (N, W), right (N, W) or (C, W).
    S *fp8_left = nullptr, *fp8_right = nullptr;
    /// For experts: (received rows, C) each; the first is also the send buffer.
    Matrix<S, Space> expert_rows, expert_gradients;
    S* expert_bias = nullptr;               ///< (C)
    Matrix<Real, Space> d_gates, d_logits;  ///< (N, K), (N, E)
    Real* attention = nullptr;              ///< Attention::scratch_elements()
    Real* logits_maximum = nullptr;  ///< (N); this and the next with several tensor ranks only
    Real* logits_sums = nullptr;     ///< (2, N): sums, then target logits
};

/// All memory of a part of a model besides parameters; everything except tokens and targets in one
/// allocation.
template <class S, class R = compute_t<S>, class Space = Host>
class Activations {
  public:
    /// `attention`: its scratch_elements().
    Activations(const GptConfig& config, const ModelPart& part, const PartShape& shape,
                std::int64_t attention);

    std::vector<std::vector<ChunkActivations<S, R, Space>>> chunks;  ///< by chunk and slot
    std::vector<Matrix<R, Space>> gradients;  ///< (N', C) each, by gradient slot
    PassWorkspace<S, R, Space> workspace;

    std::int64_t size_bytes() const noexcept;

  private:
    Buffer<compute_t<S>, Space> buffer_;
};

extern template class Activations<float>;
extern template class Activations<double>;
extern template class Activations<bf16>;
extern template class Activations<fp16>;
extern template class Activations<bf16, bf16>;

}  // namespace shardstone::reference
