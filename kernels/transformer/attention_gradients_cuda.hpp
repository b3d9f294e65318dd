// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of attention's backward pass are given, and how its work is divided.
//
// Two passes: one block for some keys goes through the queries that see them and sums d_K and d_V
// in registers; one block for some queries goes through the keys that they see and sums d_Q. Each
// computes S and d_P anew, seven products in all. FlashAttention-2 needs five, adding d_Q to memory
// from the blocks of keys in whatever order these come; to fix their order would make them wait for
// one another, which costs as much. This way no sum depends on the order of blocks, and P and d_S
// stay in the registers of the warp that multiplies them next.
#pragma once

#include <type_traits>

#include "kernels/base/device/elements.hpp"
#include "kernels/transformer/partial_attention.hpp"

namespace shardstone::device {

/// Gradients are added to FP32 numbers, or written rounded to S.
template <class S, bool adds>
struct AttentionPass {
    using Gradient = std::conditional_t<adds, float, S>;

    PartialAttentionShape shape;
    PieceRows<const S> q, k, v, d_out;
    PieceNumbers<const float> log_sum_exp, dots;
    PieceRows<Gradient> d_q, d_k, d_v;
    float scale;           ///< 1 / sqrt(D)
    float exponent_scale;  ///< log2(e) / sqrt(D), rounded once
};

/// What a block of a grid of `tiles` blocks for each head works on.
struct BlockPlace {
    std::int64_t tile, head, sequence;
};
__device__ inline BlockPlace block_place(std::int64_t tiles, std::int64_t heads) {
    const std::int64_t block = blockIdx.x, number = block / tiles;
    return {block % tiles, number % heads, number / heads};
}

/// The first row of a head, of (rows, head_size).
template <class T>
__device__ inline T* head_rows(const PieceRows<T>& piece, const BlockPlace& place,
                               std::int64_t head_size) {
    return piece.data + place.sequence * piece.per_sequence + place.head * head_size;
}
template <class T>
__device__ inline T* head_numbers(const PieceNumbers<T>& piece, const BlockPlace& place,
                                  std::int64_t heads) {
    return piece.data + (place.sequence * heads + place.head) * piece.per_head;
}

}  // namespace shardstone::device
