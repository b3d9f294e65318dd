// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/matrix.hpp"
#include "kernels/transformer/attention.hpp"
#include "reference/model/part_shape.hpp"
#include "reference/model/token.hpp"

namespace shardstone::reference {

// N = B*T positions, N' = the rank's own rows of the residual stream (ModelPart::stream_rows), H
// own heads of D channels, F own columns of the MLP's 4C, V own tokens of the vocabulary.

/// A norm's output and the moments that its backward needs.
template <class Real>
struct NormActivations {
    Matrix<Real> out;      ///< (N', C)
    Real* mean = nullptr;  ///< (N')
    Real* rstd = nullptr;  ///< (N')
};

/// What a branch keeps between the residual stream and its return to it.
template <class Real>
struct BranchActivations {
    NormActivations<Real> norm;
    Matrix<Real> wide;            ///< of the first product: (N, 3HD), or (N, F) before GELU
    Matrix<Real> activated;       ///< for the second product: (N, HD), or (N, F) after GELU
    Real* log_sum_exp = nullptr;  ///< of attention: (B, H, T)
};

/// The gradients that the gradients of a branch's weights are computed from.
template <class Real>
struct BranchGradients {
    Matrix<Real> d_out;     ///< (N, C), of the second product
    Matrix<Real> d_wide;    ///< as BranchActivations::wide
    Matrix<Real> d_normed;  ///< (N', C), of the norm's output
};

template <class Real>
struct BlockActivations {
    BranchActivations<Real> attention, mlp;
    Matrix<Real> middle;  ///< (N', C), the residual stream between the branches
};

template <class Real>
struct BlockGradients {
    BranchGradients<Real> attention, mlp;
};

template <class Real>
struct HeadActivations {
    NormActivations<Real> norm;
    Matrix<Real> logits;          ///< (N, V), rows padded to whole cache lines
    Real* log_sum_exp = nullptr;  ///< (N), over the whole vocabulary
    Matrix<Real> d_normed;        ///< (N', C), only if the backward pass is split
};

/// What one micro-batch keeps in one chunk of a model.
template <class Real>
struct ChunkActivations {
    std::vector<Matrix<Real>> stream;  ///< (N', C) each: what enters, and what leaves each block
    std::vector<BlockActivations<Real>> blocks;   ///< what is recomputed, all slots have in common
    std::vector<BlockGradients<Real>> gradients;  ///< only if the backward pass is split
    HeadActivations<Real> head;
    Matrix<Real> d_embedded;  ///< (N, C), only if the backward pass is split
    std::vector<Token> tokens;
    std::vector<Target> targets;
};

/// What all passes share.
template <class Real>
struct Workspace {
    Matrix<Real> d_branch;           ///< (N, C)
    Real* d_wide = nullptr;          ///< (N, 3HD) and (N, F)
    Matrix<Real> room;               ///< (N, C), for SplitStream; only with sequence parallelism
    Real* attention = nullptr;       ///< AttentionShape::scratch_elements()
    Real* logits_maximum = nullptr;  ///< (N); this and the next with several tensor ranks only
    Real* logits_sums = nullptr;     ///< (2, N): sums, then target logits
};

/// Elements to which every tensor in the allocation is rounded up.
inline constexpr std::int64_t activation_alignment = 16;

/// All that a part of a model keeps besides parameters; what is Real in one allocation.
template <class Real>
class Activations {
  public:
    Activations(const GptConfig& config, const ModelPart& part, const PartShape& shape);

    std::vector<std::vector<ChunkActivations<Real>>> chunks;  ///< by chunk and slot
    std::vector<Matrix<Real>> gradients;                      ///< (N', C) each, by gradient slot
    Workspace<Real> workspace;
    AttentionShape attention_shape;  ///< own heads

    std::int64_t size_bytes() const noexcept;

  private:
    Buffer<Real> buffer_;
};

extern template class Activations<float>;
extern template class Activations<double>;

}  // namespace shardstone::reference
