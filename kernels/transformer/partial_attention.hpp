// SPDX-License-Identifier: BSD-3-Clause
// Attention over some of the keys at a time, as in one step of ring attention.
#pragma once

#include <cstdint>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// A piece of the queries of B sequences against a piece of their keys, H heads of D channels.
struct PartialAttentionShape {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t head_size = 0;
    std::int64_t queries = 0;  ///< of each sequence
    std::int64_t keys = 0;     ///< as many as queries if `causal`
    /// The keys are those of the queries' own positions: query t sees keys 0 to t. Otherwise they
    /// precede all queries, and each query sees all of them.
    bool causal = false;

    /// Elements of Real scratch that forward and backward need if tensors are in S.
    template <class S>
    std::int64_t scratch_elements() const;
};

/// A piece of a tensor of rows (B, T, C'), given by its first row of the first sequence: the rows
/// of a sequence are consecutive. A head's channels are D contiguous ones.
template <class T>
struct PieceRows {
    T* data = nullptr;
    std::int64_t leading = 0;       ///< from one row to the next
    std::int64_t per_sequence = 0;  ///< from a sequence's first row to the next one's

    /// (rows, head_size)
    Matrix<T> head(std::int64_t sequence, std::int64_t head, std::int64_t rows,
                   std::int64_t head_size) const {
        return {data + sequence * per_sequence + head * head_size, rows, head_size, leading};
    }
};

/// A number for each query of a piece of (B, H, T), given by the first one of the first head.
template <class T>
struct PieceNumbers {
    T* data = nullptr;
    std::int64_t per_head = 0;  ///< T

    T* head(std::int64_t sequence, std::int64_t head, std::int64_t heads) const {
        return data + (sequence * heads + head) * per_head;
    }
};

/// Merges softmax(Q K^T / sqrt(D)) V over these keys into `out` and `log_sum_exp` of the previous
/// keys: with l the log-sum-exp of each part's scores and L that of both, out = exp(l_a - L) out_a
/// + exp(l_b - L) out_b (Dao et al. 2022; Liu et al. 2023, "Ring Attention"). Start with 0 and
/// -infinity. Scores, softmax and sums are in Real = compute_t<S>, `out` stays in Real until all
/// keys are included; P is rounded to S before its product, as by attention_forward().
template <class S>
void partial_attention_forward(HostQueue queue, const PartialAttentionShape& shape,
                               PieceRows<const S> q, PieceRows<const S> k, PieceRows<const S> v,
                               PieceRows<compute_t<S>> out, PieceNumbers<compute_t<S>> log_sum_exp,
                               compute_t<S>* scratch);
template <class S>
void partial_attention_forward(CudaQueue queue, const PartialAttentionShape& shape,
                               PieceRows<const S> q, PieceRows<const S> k, PieceRows<const S> v,
                               PieceRows<compute_t<S>> out, PieceNumbers<compute_t<S>> log_sum_exp,
                               compute_t<S>* scratch);

/// rowsum(d_O * O) of every query and head, which the backward pass of any of its keys needs: dots
/// (B, H, T) from out and d_out (B, T, H D).
template <class S>
void attention_output_dots(HostQueue queue, const PartialAttentionShape& shape,
                           PieceRows<const S> out, PieceRows<const S> d_out,
                           PieceNumbers<compute_t<S>> dots, compute_t<S>* scratch);
template <class S>
void attention_output_dots(CudaQueue queue, const PartialAttentionShape& shape,
                           PieceRows<const S> out, PieceRows<const S> d_out,
                           PieceNumbers<compute_t<S>> dots, compute_t<S>* scratch);

/// Adds the contributions of these pairs of query and key to d_q, d_k and d_v, given the
/// log-sum-exp over all keys: with P = exp(S - L), d_V += P^T d_O, d_S = P * (d_O V^T - dots), d_Q
/// += d_S K / sqrt(D), d_K += d_S^T Q / sqrt(D).
template <class S>
struct PartialAttentionGradients {
    PieceRows<const S> q, k, v, d_out;
    PieceNumbers<const compute_t<S>> log_sum_exp, dots;
    PieceRows<compute_t<S>> d_q, d_k, d_v;
};
template <class S>
void partial_attention_backward(HostQueue queue, const PartialAttentionShape& shape,
                                const PartialAttentionGradients<S>& tensors, compute_t<S>* scratch);
template <class S>
void partial_attention_backward(CudaQueue queue, const PartialAttentionShape& shape,
                                const PartialAttentionGradients<S>& tensors, compute_t<S>* scratch);

}  // namespace shardstone
