// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

/// B sequences of T positions, H heads of D channels; C = H D.
struct AttentionShape {
    std::int64_t batch = 0;
    std::int64_t sequence = 0;
    std::int64_t heads = 0;
    std::int64_t head_size = 0;

    std::int64_t channels() const { return heads * head_size; }
    /// Elements of Real scratch that forward and backward need if tensors are in S; equal for every
    /// S that is Real itself. On a GPU: a number for each query and head, of backward alone.
    template <class S = float, class Space = Host>
    std::int64_t scratch_elements() const;
};

/// Tensors of forward that backward needs.
template <class S>
struct AttentionSaved {
    const S* qkv;                     ///< (B, T, 3C): queries, keys, values, each (H, D)
    const S* out;                     ///< (B, T, C)
    const compute_t<S>* log_sum_exp;  ///< (B, H, T): of each query's scaled scores
};

/// Causal multi-head attention (Vaswani et al. 2017): out (B, T, C) = softmax(Q K^T / sqrt(D)) V
/// per sequence and head, query t attending to keys 0..t only. Processes blocks of queries and
/// skips the keys masked for the whole block. Keeps the log-sum-exp of each row instead of the
/// (T, T) probabilities, which backward recomputes (Dao et al. 2022, "FlashAttention").
///
/// Scores, softmax and all sums are in Real = compute_t<S>. Inputs of products are in S: P (and d_S
/// below) is rounded to S before its product, as for a matrix unit. For narrow S one head at a time
/// is widened into scratch, multiplied in Real and rounded once at the end.
template <class S>
void attention_forward(HostQueue queue, const AttentionShape& shape, const S* qkv, S* out,
                       compute_t<S>* log_sum_exp, compute_t<S>* scratch);
/// On the GPU a kernel of matrix units for narrow S, if D is a multiple of 16, else one of FP32
/// arithmetic; D is 128 at most (else Error), `scratch` is not used.
template <class S>
void attention_forward(CudaQueue queue, const AttentionShape& shape, const S* qkv, S* out,
                       compute_t<S>* log_sum_exp, compute_t<S>* scratch);

/// d_qkv (B, T, 3C), overwritten, from d_out (B, T, C). With P the probabilities:
/// d_V = P^T d_O, d_P = d_O V^T, d_S = P * (d_P - rowsum(d_O * O)), d_Q = d_S K / sqrt(D),
/// d_K = d_S^T Q / sqrt(D).
template <class S>
void attention_backward(HostQueue queue, const AttentionShape& shape,
                        const AttentionSaved<S>& saved, const S* d_out, S* d_qkv,
                        compute_t<S>* scratch);
template <class S>
void attention_backward(CudaQueue queue, const AttentionShape& shape,
                        const AttentionSaved<S>& saved, const S* d_out, S* d_qkv,
                        compute_t<S>* scratch);

}  // namespace shardstone
