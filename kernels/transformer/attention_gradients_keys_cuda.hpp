// SPDX-License-Identifier: BSD-3-Clause
// d_K and d_V on the matrix unit. A warp computes the transposes of S and d_P, (own keys, queries):
// rounded, they are the first factors of the products with d_O and Q.
#pragma once

#include "kernels/transformer/attention_gradients_mma_cuda.hpp"

namespace shardstone::device {

template <int size>
struct KeySums {
    PassSums<size> k, v;
};

/// Adds what the queries from `step` of a tile contribute. `ahead`: the first of them, counted from
/// the warp's first key. `row`: that key's, in the block.
template <bool masked, class S, int size>
__device__ __forceinline__ void keys_step(const PassShared<S, size>& shared, int buffer, int row,
                                          int step, int ahead, float scale_log2,
                                          KeySums<size>& sums) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const S *const q = shared.other(0, buffer), *const d_out = shared.other(1, buffer);
    PassScores<size> p{}, d_s{};
    multiply_rows<size>(SharedRows<S, size>{shared.own(0), row}, q, step, p);
    multiply_rows<size>(SharedRows<S, size>{shared.own(1), row}, d_out, step, d_s);
#pragma unroll
    for (int n = 0; n < PassTile<size>::step / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int query = 8 * n + lane % 4 * 2 + i;
            const QueryNumbers numbers = shared.numbers(buffer)[step + query];
#pragma unroll
            for (int r = 0; r < 2 * PassTile<size>::parts; ++r) {
                const int key = 8 * r + lane / 4, at = r % 2 * 2 + i;
                pair_backward(scale_log2, numbers, !masked || key <= ahead + query, p[r / 2][n][at],
                              d_s[r / 2][n][at]);
            }
        }
    }
    add_weighted<size>(p, d_out, step, sums.v);
    add_weighted<size>(d_s, q, step, sums.k);
}

/// A tile of queries; `ahead` as above.
template <class S, int size>
__device__ __forceinline__ void keys_tile(const PassShared<S, size>& shared, int buffer, int row,
                                          int ahead, bool causal, float scale_log2,
                                          KeySums<size>& sums) {
    using T = PassTile<size>;
#pragma unroll 1
    for (int step = 0; step < T::loaded; step += T::step, ahead += T::step) {
        if (causal && ahead < T::warp_rows - 1) {
            if (ahead > -T::step) {
                keys_step<true>(shared, buffer, row, step, ahead, scale_log2, sums);
            }
        } else {
            keys_step<false>(shared, buffer, row, step, ahead, scale_log2, sums);
        }
    }
}

/// A query's numbers as they are in memory; scaled when they have arrived.
template <class S, bool adds>
__device__ __forceinline__ QueryNumbers load_numbers(const AttentionPass<S, adds>& pass, int head,
                                                     int query) {
    head = opaque(head);
    if (query >= pass.in.queries) return {-minus_infinity, 0.0F};
    return {pass.numbers(pass.log_sum_exp, head)[query], pass.numbers(pass.dots, head)[query]};
}
__device__ __forceinline__ QueryNumbers scaled(const QueryNumbers& loaded) {
    return {-log2_of_e * loaded.minus_log2_sum, loaded.dot};
}

/// Starts the copy of the rows that the block keeps to the end.
template <int size, class S, bool adds>
__device__ __forceinline__ void copy_own_keys(const AttentionPass<S, adds>& pass,
                                              const PieceRows<const S>& piece, int head,
                                              int first_key, S* to) {
    using T = PassTile<size>;
    copy_tile_async<size, T::rows, T::threads>(
        to, pass.rows(piece, head) + first_key * piece.leading, piece.leading,
        pass.in.keys - first_key, pass.in.head_size);
}

template <class S, bool adds, int size>
__global__ void __launch_bounds__(PassTile<size>::threads)
    attention_keys_pass(AttentionPass<S, adds> pass, AttentionBlocks blocks) {
    using T = PassTile<size>;
    const auto& in = pass.in;
    const auto [head, from_last] = blocks.at(blockIdx.x);
    const int first_key = (blocks.tiles - 1 - from_last) * T::rows;  // most queries see the first
    const int thread = static_cast<int>(threadIdx.x), row = thread / 32 * T::warp_rows;
    const PassShared<S, size> shared{dynamic_shared<S>()};
    int first = in.causal ? first_key / T::loaded * T::loaded : 0;
    copy_own_keys<size>(pass, in.k, head, first_key, shared.own(0));
    copy_own_keys<size>(pass, in.v, head, first_key, shared.own(1));
    const auto from = [&](const PieceRows<const S>& piece) {
        return typename TilePairs<S, size>::Copier(pass.rows(piece, head) + first * piece.leading,
                                                   piece.leading, in.head_size);
    };
    TilePairs<S, size> others{from(in.q), from(pass.d_out)};
    const auto start_copy = [&](int begin, int buffer) {
        others.start(shared, buffer, in.q.leading, pass.d_out.leading, in.queries - begin);
    };
    start_copy(first, 0);
    const bool has_numbers = thread < T::loaded;
    if (has_numbers) shared.numbers(0)[thread] = scaled(load_numbers(pass, head, first + thread));
    KeySums<size> sums{};
    for (int buffer = 0; first < in.queries; first += T::loaded, buffer ^= 1) {
        copy_async_wait<0>();
        __syncthreads();
        QueryNumbers next{};
        if (first + T::loaded < in.queries) {
            start_copy(first + T::loaded, buffer ^ 1);
            if (has_numbers) next = load_numbers(pass, head, first + T::loaded + thread);
        }
        keys_tile(shared, buffer, row, first - first_key - row, in.causal, pass.scale_log2, sums);
        if (has_numbers) shared.numbers(buffer ^ 1)[thread] = scaled(next);
    }
    const int warp_key = first_key + row;
    if (warp_key >= in.keys) return;
    const auto write = [&](const auto& to, const auto& sum, float scale, int which) {
        write_sums<size>(sum, scale, shared.own(which) + row * size,
                         pass.rows(to, head) + warp_key * to.leading, to.leading,
                         in.keys - warp_key, in.head_size);
    };
    write(pass.d_k, sums.k, pass.scale, 0);
    write(pass.d_v, sums.v, 1.0F, 1);
}

}  // namespace shardstone::device
