// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/matrix.hpp"
#include "kernels/transformer/attention.hpp"
#include "reference/model/gpt_config.hpp"

namespace shardstone::reference {

/// A norm's output and the moments that its backward needs. N = B*T rows throughout.
template <class Real>
struct NormActivations {
    Matrix<Real> out;      ///< (N, C)
    Real* mean = nullptr;  ///< (N)
    Real* rstd = nullptr;  ///< (N)
};

template <class Real>
struct AttentionActivations {
    NormActivations<Real> norm;
    Matrix<Real> qkv;             ///< (N, 3C)
    Matrix<Real> heads;           ///< (N, C), before the projection
    Real* log_sum_exp = nullptr;  ///< (B, H, T)
    Matrix<Real> out;             ///< (N, C), the residual stream after this branch
};

template <class Real>
struct MlpActivations {
    NormActivations<Real> norm;
    Matrix<Real> expanded;   ///< (N, 4C), before GELU
    Matrix<Real> activated;  ///< (N, 4C), after GELU
    Matrix<Real> out;        ///< (N, C), the residual stream after this branch
};

template <class Real>
struct HeadActivations {
    NormActivations<Real> norm;
    Matrix<Real> logits;          ///< (N, V), rows padded to whole cache lines
    Real* log_sum_exp = nullptr;  ///< (N)
};

/// What all layers' backward passes share.
template <class Real>
struct Workspace {
    Matrix<Real> d_residual;    ///< (N, C), gradient of the residual stream, walks down the layers
    Matrix<Real> d_branch;      ///< (N, C)
    Matrix<Real> d_wide;        ///< (N, 4C)
    Real* attention = nullptr;  ///< AttentionShape::scratch_elements()
};

/// Elements to which every tensor in the allocation is rounded up.
inline constexpr std::int64_t activation_alignment = 16;

/// All activations of one micro-batch of (B, T) tokens, in one allocation.
template <class Real>
class Activations {
  public:
    Activations(const GptConfig& config, std::int64_t micro_batch, std::int64_t sequence);

    Matrix<Real> embedded;  ///< (N, C)
    std::vector<AttentionActivations<Real>> attention;
    std::vector<MlpActivations<Real>> mlp;
    HeadActivations<Real> head;
    Workspace<Real> workspace;

    AttentionShape attention_shape;
    std::int64_t size_bytes() const noexcept { return buffer_.size_bytes(); }

  private:
    Buffer<Real> buffer_;
};

extern template class Activations<float>;
extern template class Activations<double>;

}  // namespace shardstone::reference
