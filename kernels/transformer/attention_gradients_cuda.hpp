// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of attention's backward pass are given, and how its work is divided.
//
// Two passes: one block for some queries goes through the keys that they see and sums d_Q in
// registers; one block for some keys goes through the queries that see them and sums d_K and d_V.
// Each computes S and d_P anew, seven products in all. FlashAttention-2 needs five, but adds d_Q to
// memory from the blocks of keys in whatever order these come, and to fix their order would make
// them wait for one another. This way no sum depends on the order of blocks, and P and d_S stay in
// the registers of the warp that multiplies them next.
#pragma once

#include "kernels/transformer/attention_cuda.hpp"

namespace shardstone::device {

/// Gradients are added to FP32 numbers, all dots being there; or written rounded to S, dots first.
template <class S, bool adds>
struct AttentionPass {
    using Gradient = std::conditional_t<adds, float, S>;

    AttentionInputs<S> in;
    PieceRows<const S> out, d_out;  ///< out: for dots alone
    PieceNumbers<const float> log_sum_exp;
    PieceNumbers<std::conditional_t<adds, const float, float>> dots;
    PieceRows<Gradient> d_q, d_k, d_v;
    float scale, scale_log2;

    AttentionPass(const AttentionInputs<S>& inputs) : in(inputs) {
        scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(in.head_size)));
        scale_log2 = in.scale_log2();
    }
    /// First row of a head; first of its numbers.
    template <class T>
    __device__ T* rows(const PieceRows<T>& of, int head) const {
        return head_rows(of, head, in.heads, in.head_size);
    }
    template <class T>
    __device__ T* numbers(const PieceNumbers<T>& of, int head) const {
        return of.data + head * of.per_head;
    }
};

inline constexpr float log2_of_e = 1.44269504088896341F;

}  // namespace shardstone::device
