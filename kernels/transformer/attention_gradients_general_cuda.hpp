// SPDX-License-Identifier: BSD-3-Clause
// Attention's backward pass in plain FP32: for float, and for heads that the matrix unit's kernels
// are not for. Everything that a product reads lies in shared memory in FP32.
#pragma once

#include "kernels/transformer/attention_gradients_cuda.hpp"

namespace shardstone::device {

/// 256 threads as a square of 16. A thread computes `rows` rows and `columns` columns of a product,
/// 16 apart, for tiles of 16 `rows` rows and heads of up to 16 `columns` channels.
template <int rows_, int columns_>
struct GeneralTiles {
    static constexpr int side = 16, threads = side * side;
    static constexpr int rows = rows_, columns = columns_;
    static constexpr int tile = side * rows, head_size = side * columns;
    static constexpr int leading = head_size + 1, scores_leading = tile + 1;  // no two in a bank
    static constexpr std::size_t shared_bytes =
        (4 * tile * leading + 2 * tile * scores_leading) * sizeof(float);
};

/// The tiles of a block: rows of (tile, head_size), scores of (tile of queries, tile of keys).
template <class Tiles>
struct GeneralShared {
    float *q, *d_out, *k, *v, *p, *d_s;

    __device__ explicit GeneralShared(float* shared)
        : q(shared),
          d_out(q + Tiles::tile * Tiles::leading),
          k(d_out + Tiles::tile * Tiles::leading),
          v(k + Tiles::tile * Tiles::leading),
          p(v + Tiles::tile * Tiles::leading),
          d_s(p + Tiles::tile * Tiles::scores_leading) {}
};

template <class Tiles, class S>
__device__ inline void copy_rows_general(const PieceRows<const S>& piece, const BlockPlace& place,
                                         std::int64_t first, std::int64_t count, int head_size,
                                         float* to) {
    const S* const from = head_rows(piece, place, head_size);
    for (int i = static_cast<int>(threadIdx.x); i < Tiles::tile * Tiles::head_size;
         i += Tiles::threads) {
        const int row = i / Tiles::head_size, column = i % Tiles::head_size;
        const bool there = first + row < count && column < head_size;
        to[row * Tiles::leading + column] =
            there ? widened(from[(first + row) * piece.leading + column]) : 0.0F;
    }
}

template <class S>
__device__ inline float rounded(float value) {
    return widened(narrowed<S>(value));
}

/// P and d_S of a tile of queries and one of keys.
template <class Tiles, class S, bool adds>
__device__ inline void scores_general(const AttentionPass<S, adds>& pass, const BlockPlace& place,
                                      std::int64_t first_query, std::int64_t first_key,
                                      const GeneralShared<Tiles>& shared) {
    constexpr int rows = Tiles::rows, side = Tiles::side, leading = Tiles::leading;
    const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
    float score[rows][rows] = {}, d_p[rows][rows] = {};
    for (int d = 0; d < static_cast<int>(pass.shape.head_size); ++d) {
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            const int query = (y + side * i) * leading + d;
#pragma unroll
            for (int j = 0; j < rows; ++j) {
                const int key = (x + side * j) * leading + d;
                score[i][j] += shared.q[query] * shared.k[key];
                d_p[i][j] += shared.d_out[query] * shared.v[key];
            }
        }
    }
    const float* const log_sum = head_numbers(pass.log_sum_exp, place, pass.shape.heads);
    const float* const dots = head_numbers(pass.dots, place, pass.shape.heads);
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        const std::int64_t query = first_query + y + side * i;
        const bool there = query < pass.shape.queries;
        const float own_log_sum = there ? log_sum[query] : 0.0F, dot = there ? dots[query] : 0.0F;
#pragma unroll
        for (int j = 0; j < rows; ++j) {
            const std::int64_t key = first_key + x + side * j;
            const bool seen =
                there && key < pass.shape.keys && (!pass.shape.causal || key <= query);
            const float p = seen ? expf(score[i][j] * pass.scale - own_log_sum) : 0.0F;
            const int at = (y + side * i) * Tiles::scores_leading + x + side * j;
            shared.p[at] = rounded<S>(p);
            shared.d_s[at] = rounded<S>(p * (d_p[i][j] - dot));
        }
    }
}

/// sums += A B, or A^T B, of a tile of scores and one of rows.
template <class Tiles, bool transposed>
__device__ inline void add_product_general(const float* a, const float* b,
                                           float (&sums)[Tiles::rows][Tiles::columns]) {
    constexpr int side = Tiles::side;
    const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
    for (int n = 0; n < Tiles::tile; ++n) {
        float factor[Tiles::rows];
#pragma unroll
        for (int i = 0; i < Tiles::rows; ++i) {
            const int row = y + side * i;
            factor[i] = transposed ? a[n * Tiles::scores_leading + row]
                                   : a[row * Tiles::scores_leading + n];
        }
#pragma unroll
        for (int j = 0; j < Tiles::columns; ++j) {
            const float other = b[n * Tiles::leading + x + side * j];
#pragma unroll
            for (int i = 0; i < Tiles::rows; ++i) sums[i][j] += factor[i] * other;
        }
    }
}

template <class Tiles, class S, bool adds, class T>
__device__ inline void write_general(const float (&sums)[Tiles::rows][Tiles::columns], float factor,
                                     std::int64_t first, std::int64_t count, int head_size,
                                     const PieceRows<T>& piece, const BlockPlace& place) {
    constexpr int side = Tiles::side;
    const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
    T* const head = head_rows(piece, place, head_size);
#pragma unroll
    for (int i = 0; i < Tiles::rows; ++i) {
        const std::int64_t row = first + y + side * i;
        if (row >= count) continue;
#pragma unroll
        for (int j = 0; j < Tiles::columns; ++j) {
            const int column = x + side * j;
            if (column >= head_size) continue;
            T* const to = head + row * piece.leading + column;
            if constexpr (adds) {
                *to += factor * sums[i][j];
            } else {
                *to = narrowed<S>(factor * sums[i][j]);
            }
        }
    }
}

template <class Tiles, class S, bool adds>
__global__ void __launch_bounds__(Tiles::threads)
    keys_pass_general(AttentionPass<S, adds> pass, std::int64_t tiles) {
    const auto& [batch, heads, size, queries, keys, causal] = pass.shape;
    const int head_size = static_cast<int>(size);
    const GeneralShared<Tiles> shared(dynamic_shared<float>());
    const BlockPlace place = block_place(tiles, heads);
    const std::int64_t first_key = place.tile * Tiles::tile;
    copy_rows_general<Tiles>(pass.k, place, first_key, keys, head_size, shared.k);
    copy_rows_general<Tiles>(pass.v, place, first_key, keys, head_size, shared.v);
    float d_k[Tiles::rows][Tiles::columns] = {}, d_v[Tiles::rows][Tiles::columns] = {};
    for (std::int64_t first = causal ? first_key : 0; first < queries; first += Tiles::tile) {
        copy_rows_general<Tiles>(pass.q, place, first, queries, head_size, shared.q);
        copy_rows_general<Tiles>(pass.d_out, place, first, queries, head_size, shared.d_out);
        __syncthreads();
        scores_general(pass, place, first, first_key, shared);
        __syncthreads();
        add_product_general<Tiles, true>(shared.p, shared.d_out, d_v);
        add_product_general<Tiles, true>(shared.d_s, shared.q, d_k);
        __syncthreads();
    }
    write_general<Tiles, S, adds>(d_k, pass.scale, first_key, keys, head_size, pass.d_k, place);
    write_general<Tiles, S, adds>(d_v, 1.0F, first_key, keys, head_size, pass.d_v, place);
}

template <class Tiles, class S, bool adds>
__global__ void __launch_bounds__(Tiles::threads)
    queries_pass_general(AttentionPass<S, adds> pass, std::int64_t tiles) {
    const auto& [batch, heads, size, queries, keys, causal] = pass.shape;
    const int head_size = static_cast<int>(size);
    const GeneralShared<Tiles> shared(dynamic_shared<float>());
    BlockPlace place = block_place(tiles, heads);
    place.tile = tiles - 1 - place.tile;  // the last queries see most keys: begin with them
    const std::int64_t first_query = place.tile * Tiles::tile;
    copy_rows_general<Tiles>(pass.q, place, first_query, queries, head_size, shared.q);
    copy_rows_general<Tiles>(pass.d_out, place, first_query, queries, head_size, shared.d_out);
    float d_q[Tiles::rows][Tiles::columns] = {};
    const std::int64_t end = causal ? min(first_query + Tiles::tile, keys) : keys;
    for (std::int64_t first = 0; first < end; first += Tiles::tile) {
        copy_rows_general<Tiles>(pass.k, place, first, keys, head_size, shared.k);
        copy_rows_general<Tiles>(pass.v, place, first, keys, head_size, shared.v);
        __syncthreads();
        scores_general(pass, place, first_query, first, shared);
        __syncthreads();
        add_product_general<Tiles, false>(shared.d_s, shared.k, d_q);
        __syncthreads();
    }
    write_general<Tiles, S, adds>(d_q, pass.scale, first_query, queries, head_size, pass.d_q,
                                  place);
}

}  // namespace shardstone::device
