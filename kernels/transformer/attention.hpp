// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace shardstone {

/// B sequences of T positions, H heads of D channels; C = H D.
struct AttentionShape {
    std::int64_t batch = 0;
    std::int64_t sequence = 0;
    std::int64_t heads = 0;
    std::int64_t head_size = 0;

    std::int64_t channels() const { return heads * head_size; }
    /// Elements of scratch that forward and backward need.
    std::int64_t scratch_elements() const;
};

/// What backward needs of forward.
template <class Real>
struct AttentionSaved {
    const Real* qkv;          ///< (B, T, 3C): queries, keys, values, each (H, D)
    const Real* out;          ///< (B, T, C)
    const Real* log_sum_exp;  ///< (B, H, T): of each query's scaled scores
};

/// Causal multi-head attention (Vaswani et al. 2017): out (B, T, C) = softmax(Q K^T / sqrt(D)) V
/// per sequence and head, query t seeing keys 0..t only. Works through blocks of queries and skips
/// the keys that the whole block may not see. Keeps the log-sum-exp of each row instead of the
/// (T, T) probabilities, which backward computes again (Dao et al. 2022, "FlashAttention").
template <class Real>
void attention_forward(const AttentionShape& shape, const Real* qkv, Real* out, Real* log_sum_exp,
                       Real* scratch);

/// d_qkv (B, T, 3C), overwritten, from d_out (B, T, C). With P the probabilities:
/// d_V = P^T d_O, d_P = d_O V^T, d_S = P * (d_P - rowsum(d_O * O)), d_Q = d_S K / sqrt(D),
/// d_K = d_S^T Q / sqrt(D).
template <class Real>
void attention_backward(const AttentionShape& shape, const AttentionSaved<Real>& saved,
                        const Real* d_out, Real* d_qkv, Real* scratch);

}  // namespace shardstone
