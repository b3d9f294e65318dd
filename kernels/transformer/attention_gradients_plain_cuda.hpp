// SPDX-License-Identifier: BSD-3-Clause
// Attention's backward pass in plain FP32: for float, and for heads that the matrix unit's kernels
// are not for. Everything that a product reads lies in shared memory in FP32.
#pragma once

#include "kernels/transformer/attention_gradients_cuda.hpp"

namespace shardstone::device {

/// 256 threads as a square of 16. A thread computes `rows` rows and `columns` columns of a product,
/// 16 apart, for tiles of 16 `rows` rows and heads of up to 16 `columns` channels.
template <int rows_, int columns_>
struct PlainTiles {
    static constexpr int side = 16, threads = side * side;
    static constexpr int blocks = columns_ > 4 ? 1 : 2;  ///< of a multiprocessor, by shared memory
    static constexpr int rows = rows_, columns = columns_;
    static constexpr int tile = side * rows, head_size = side * columns;
    static constexpr int leading = head_size + 1, scores_leading = tile + 1;  // no two in a bank
    static constexpr std::size_t shared_bytes =
        (4 * tile * leading + 2 * tile * scores_leading) * sizeof(float);
};

/// The tiles of a block: rows of (tile, head_size), scores of (tile of queries, tile of keys).
template <class Tiles>
struct PlainGradientTiles {
    float *q, *d_out, *k, *v, *p, *d_s;

    __device__ explicit PlainGradientTiles(float* shared)
        : q(shared),
          d_out(q + Tiles::tile * Tiles::leading),
          k(d_out + Tiles::tile * Tiles::leading),
          v(k + Tiles::tile * Tiles::leading),
          p(v + Tiles::tile * Tiles::leading),
          d_s(p + Tiles::tile * Tiles::scores_leading) {}
};

/// The tile at row `first` of a head's rows.
template <class Tiles, class S>
__device__ inline void load_rows_plain(const S* from, std::int64_t leading, int first, int count,
                                       int head_size, float* to) {
    for (int i = static_cast<int>(threadIdx.x); i < Tiles::tile * Tiles::head_size;
         i += Tiles::threads) {
        const int row = i / Tiles::head_size, column = i % Tiles::head_size;
        const bool there = first + row < count && column < head_size;
        to[row * Tiles::leading + column] =
            there ? widened(from[(first + row) * leading + column]) : 0.0F;
    }
}

template <class S>
__device__ inline float rounded(float value) {
    return widened(narrowed<S>(value));
}

/// P and d_S of a tile of queries and one of keys.
template <class Tiles, class S, bool adds>
__device__ inline void scores_plain(const AttentionPass<S, adds>& pass, int head, int first_query,
                                    int first_key, const PlainGradientTiles<Tiles>& shared) {
    constexpr int rows = Tiles::rows, side = Tiles::side, leading = Tiles::leading;
    const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
    float score[rows][rows] = {}, d_p[rows][rows] = {};
    for (int d = 0; d < pass.in.head_size; ++d) {
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
    const float* const log_sum = pass.numbers(pass.log_sum_exp, head);
    const float* const dots = pass.numbers(pass.dots, head);
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        const int query = first_query + y + side * i;
        const bool there = query < pass.in.queries;
        const float own_log_sum = there ? log_sum[query] : 0.0F, dot = there ? dots[query] : 0.0F;
#pragma unroll
        for (int j = 0; j < rows; ++j) {
            const int key = first_key + x + side * j;
            const bool seen = there && key < pass.in.keys && (!pass.in.causal || key <= query);
            const float p = seen ? expf(score[i][j] * pass.scale - own_log_sum) : 0.0F;
            const int at = (y + side * i) * Tiles::scores_leading + x + side * j;
            shared.p[at] = rounded<S>(p);
            shared.d_s[at] = rounded<S>(p * (d_p[i][j] - dot));
        }
    }
}

/// sums += A B, or A^T B, of a tile of scores and one of rows.
template <class Tiles, bool transposed>
__device__ inline void add_product_plain(const float* a, const float* b,
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

template <class Tiles, bool adds, class T>
__device__ inline void write_plain(const float (&sums)[Tiles::rows][Tiles::columns], float factor,
                                   int first, int count, int head_size, T* to,
                                   std::int64_t leading) {
    constexpr int side = Tiles::side;
    const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
#pragma unroll
    for (int i = 0; i < Tiles::rows; ++i) {
        const int row = first + y + side * i;
        if (row >= count) continue;
#pragma unroll
        for (int j = 0; j < Tiles::columns; ++j) {
            const int column = x + side * j;
            if (column >= head_size) continue;
            T& element = to[row * leading + column];
            if constexpr (adds) {
                element = fmaf(factor, sums[i][j], element);
            } else {
                element = narrowed<T>(factor * sums[i][j]);
            }
        }
    }
}

template <class Tiles, class S, bool adds>
__global__ void __launch_bounds__(Tiles::threads, Tiles::blocks)
    attention_keys_pass_plain(AttentionPass<S, adds> pass, AttentionBlocks blocks) {
    const auto& in = pass.in;
    const auto [head, from_last] = blocks.at(blockIdx.x);
    const int first_key = (blocks.tiles - 1 - from_last) * Tiles::tile;
    const PlainGradientTiles<Tiles> shared(dynamic_shared<float>());
    const auto load = [&](const PieceRows<const S>& piece, int first, int count, float* to) {
        load_rows_plain<Tiles>(pass.rows(piece, head), piece.leading, first, count, in.head_size,
                               to);
    };
    load(in.k, first_key, in.keys, shared.k);
    load(in.v, first_key, in.keys, shared.v);
    float d_k[Tiles::rows][Tiles::columns] = {}, d_v[Tiles::rows][Tiles::columns] = {};
    for (int first = in.causal ? first_key : 0; first < in.queries; first += Tiles::tile) {
        load(in.q, first, in.queries, shared.q);
        load(pass.d_out, first, in.queries, shared.d_out);
        __syncthreads();
        scores_plain(pass, head, first, first_key, shared);
        __syncthreads();
        add_product_plain<Tiles, true>(shared.p, shared.d_out, d_v);
        add_product_plain<Tiles, true>(shared.d_s, shared.q, d_k);
        __syncthreads();
    }
    const auto write = [&](const auto& sums, float factor, const auto& piece) {
        write_plain<Tiles, adds>(sums, factor, first_key, in.keys, in.head_size,
                                 pass.rows(piece, head), piece.leading);
    };
    write(d_k, pass.scale, pass.d_k);
    write(d_v, 1.0F, pass.d_v);
}

template <class Tiles, class S, bool adds>
__global__ void __launch_bounds__(Tiles::threads, Tiles::blocks)
    attention_queries_pass_plain(AttentionPass<S, adds> pass, AttentionBlocks blocks) {
    const auto& in = pass.in;
    const auto [head, tile] = blocks.at(blockIdx.x);
    const int first_query = tile * Tiles::tile;
    const PlainGradientTiles<Tiles> shared(dynamic_shared<float>());
    const auto load = [&](const PieceRows<const S>& piece, int first, int count, float* to) {
        load_rows_plain<Tiles>(pass.rows(piece, head), piece.leading, first, count, in.head_size,
                               to);
    };
    load(in.q, first_query, in.queries, shared.q);
    load(pass.d_out, first_query, in.queries, shared.d_out);
    float d_q[Tiles::rows][Tiles::columns] = {};
    const int end = in.causal ? min(first_query + Tiles::tile, in.keys) : in.keys;
    for (int first = 0; first < end; first += Tiles::tile) {
        load(in.k, first, in.keys, shared.k);
        load(in.v, first, in.keys, shared.v);
        __syncthreads();
        scores_plain(pass, head, first_query, first, shared);
        __syncthreads();
        add_product_plain<Tiles, false>(shared.d_s, shared.k, d_q);
        __syncthreads();
    }
    write_plain<Tiles, adds>(d_q, pass.scale, first_query, in.queries, in.head_size,
                             pass.rows(pass.d_q, head), pass.d_q.leading);
}

}  // namespace shardstone::device
