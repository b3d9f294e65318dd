// SPDX-License-Identifier: BSD-3-Clause
// Attention's backward pass on the matrix unit: bf16 and fp16, heads of up to 128 channels in
// chunks of 8.
//
// A warp owns rows (keys or queries) and computes products with steps of 32 of the others, that lie
// in double-buffered tiles of 64. For the gradients of keys it computes the transposes of S and
// d_P, whose accumulators, rounded, are the first factors of the products with d_O and Q; the pass
// of the queries does the same without transposition.
#pragma once

#include "kernels/transformer/attention_gradients_cuda.hpp"
#include "kernels/transformer/attention_tiles_cuda.hpp"

namespace shardstone::device {

inline constexpr int pass_threads = 128, pass_warps = 4;
inline constexpr int tile_rows = 64, step_rows = 32;

/// Rows of a warp, in sixteens: two where the accumulators leave room, so that a fragment of the
/// other factor serves two products.
template <int columns>
inline constexpr int warp_tiles = columns <= 64 ? 2 : 1;
template <int columns>
inline constexpr int block_rows = pass_warps * 16 * warp_tiles<columns>;

template <int columns>
inline constexpr std::size_t pass_shared_bytes = 2 * (2 * tile_rows + block_rows<columns>)*columns *
                                                     2 +
                                                 4 * tile_rows * sizeof(float);

template <class S>
__device__ inline HeadRows<S> rows_of(const PieceRows<const S>& piece, const BlockPlace& place,
                                      std::int64_t count, std::int64_t head_size) {
    return {head_rows(piece, place, head_size), piece.leading, count, static_cast<int>(head_size)};
}

/// Two neighbouring elements of a gradient.
template <class S, bool adds, class T>
__device__ inline void write_pair(float first, float second, T* to) {
    if constexpr (adds) {
        Pack<float, 2> pair = load_pack<float, 2>(to);
        pair.element[0] += first;
        pair.element[1] += second;
        store_pack(pair, to);
    } else {
        const unsigned pair = narrowed_pair<S>(first, second);
        *reinterpret_cast<unsigned*>(to) = pair;
    }
}

/// `factor` times a warp's sums into its rows of a gradient (count, head_size).
template <class S, bool adds, class T, int row_tiles, int column_tiles>
__device__ inline void write_rows(const Product<row_tiles, column_tiles>& sums, float factor,
                                  std::int64_t first, std::int64_t count, int head_size, T* to,
                                  std::int64_t leading) {
#pragma unroll
    for (int r = 0; r < 2 * row_tiles; ++r) {
        const std::int64_t row = first + 8 * r + lane() / 4;
        if (row >= count) continue;
#pragma unroll
        for (int n = 0; n < column_tiles; ++n) {
            const int column = 8 * n + 2 * (lane() % 4);
            const float* const pair = sums[r / 2][n] + r % 2 * 2;
            if (column < head_size) {
                write_pair<S, adds>(factor * pair[0], factor * pair[1],
                                    to + row * leading + column);
            }
        }
    }
}

inline constexpr float log2_of_e = 1.44269504088896341F;

/// Numbers of a query that its scores need: -log2 of its sum of exponentials, and rowsum(d_O * O).
/// Of a query that is not there: probabilities and d_S are zero.
struct QueryNumbers {
    float minus_log2_sum, dot;
};
template <class S, bool adds>
__device__ inline QueryNumbers query_numbers(const AttentionPass<S, adds>& pass,
                                             const BlockPlace& place, std::int64_t query) {
    if (query >= pass.shape.queries) return {-INFINITY, 0.0F};
    return {-log2_of_e * head_numbers(pass.log_sum_exp, place, pass.shape.heads)[query],
            head_numbers(pass.dots, place, pass.shape.heads)[query]};
}

// P = 2^(c s - l), c = log2(e) / sqrt(D) rounded once, l = log2(e) L: c and its product cost no
// more roundings of s than scaling it did; l is off by 1.3 u |l|, and a fused multiply-add rounds
// the difference once.

/// Scores to P and d_P to d_S of one pair.
__device__ inline void pair_backward(float exponent_scale, QueryNumbers query, bool is_visible,
                                     float& score, float& d_p) {
    const float p = exp2_approximate(fmaf(score, exponent_scale, query.minus_log2_sum));
    score = is_visible ? p : 0.0F;
    d_p = score * (d_p - query.dot);
}

/// Sums of d_K and d_V over all queries that see the block's keys.
template <class S, bool adds, int columns>
__global__ void __launch_bounds__(pass_threads)
    keys_pass(AttentionPass<S, adds> pass, std::int64_t tiles) {
    constexpr int rows = block_rows<columns>, row_tiles = warp_tiles<columns>;
    using RowTile = Tile<S, columns>;
    constexpr int tile = RowTile::elements(tile_rows), own_tile = RowTile::elements(rows);
    const PartialAttentionShape& shape = pass.shape;
    const int head_size = static_cast<int>(shape.head_size);
    const BlockPlace place = block_place(tiles, shape.heads);
    const std::int64_t first_key = place.tile * rows;

    S* const shared = dynamic_shared<S>();
    const RowTile k{shared}, v{shared + own_tile};
    const auto q = [&](int buffer) { return RowTile{shared + 2 * own_tile + buffer * tile}; };
    const auto d_out = [&](int buffer) { return RowTile{q(2 + buffer).data}; };
    auto* const numbers = reinterpret_cast<QueryNumbers*>(q(4).data);

    const auto queries = rows_of(pass.q, place, shape.queries, head_size);
    const auto gradients = rows_of(pass.d_out, place, shape.queries, head_size);
    const auto start_copy = [&](std::int64_t first, int buffer) {
        copy_rows_async<tile_rows, pass_threads>(queries, first, q(buffer));
        copy_rows_async<tile_rows, pass_threads>(gradients, first, d_out(buffer));
        copy_async_commit();
    };
    const int thread = static_cast<int>(threadIdx.x), warp = thread / warp_size;
    const int row = warp * 16 * row_tiles;  // the warp's first key in the block
    std::int64_t first = shape.causal ? first_key / tile_rows * tile_rows : 0;
    copy_rows_async<rows, pass_threads>(rows_of(pass.k, place, shape.keys, head_size), first_key,
                                        k);
    copy_rows_async<rows, pass_threads>(rows_of(pass.v, place, shape.keys, head_size), first_key,
                                        v);
    start_copy(first, 0);
    if (thread < tile_rows) numbers[thread] = query_numbers(pass, place, first + thread);

    Product<row_tiles, columns / 8> d_k{}, d_v{};
    for (int buffer = 0; first < shape.queries; first += tile_rows, buffer ^= 1) {
        copy_async_wait<0>();
        __syncthreads();
        const bool more = first + tile_rows < shape.queries;
        QueryNumbers next{};
        if (more) {
            start_copy(first + tile_rows, buffer ^ 1);
            if (thread < tile_rows) {
                next = query_numbers(pass, place, first + tile_rows + thread);
            }
        }
#pragma unroll 1
        for (int step = 0; step < tile_rows; step += step_rows) {
            // The first query of the step, counted from the warp's first key.
            const auto ahead = static_cast<int>(first + step - first_key - row);
            if (shape.causal && ahead + step_rows <= 0) continue;
            const bool masked = shape.causal && ahead < 16 * row_tiles - 1;
            Product<row_tiles, step_rows / 8> p{}, d_s{};
            multiply_rows(FirstFactor<S, columns>{k, row}, q(buffer), step, p);
            multiply_rows(FirstFactor<S, columns>{v, row}, d_out(buffer), step, d_s);
#pragma unroll
            for (int n = 0; n < step_rows / 8; ++n) {
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const int query = 8 * n + 2 * (lane() % 4) + i;
                    const QueryNumbers of = numbers[buffer * tile_rows + step + query];
#pragma unroll
                    for (int r = 0; r < 2 * row_tiles; ++r) {
                        const int key = 8 * r + lane() / 4;
                        pair_backward(pass.exponent_scale, of, !masked || key <= ahead + query,
                                      p[r / 2][n][r % 2 * 2 + i], d_s[r / 2][n][r % 2 * 2 + i]);
                    }
                }
            }
            unsigned factor[row_tiles][step_rows / 16][4];
            round_product<S>(p, factor);
            multiply_columns(factor, d_out(buffer), step, d_v);
            round_product<S>(d_s, factor);
            multiply_columns(factor, q(buffer), step, d_k);
        }
        if (more && thread < tile_rows) numbers[(buffer ^ 1) * tile_rows + thread] = next;
    }
    write_rows<S, adds>(d_k, pass.scale, first_key + row, shape.keys, head_size,
                        head_rows(pass.d_k, place, head_size), pass.d_k.leading);
    write_rows<S, adds>(d_v, 1.0F, first_key + row, shape.keys, head_size,
                        head_rows(pass.d_v, place, head_size), pass.d_v.leading);
}

/// Sums of d_Q over all keys that the block's queries see.
template <class S, bool adds, int columns>
__global__ void __launch_bounds__(pass_threads)
    queries_pass(AttentionPass<S, adds> pass, std::int64_t tiles) {
    constexpr int rows = block_rows<columns>, row_tiles = warp_tiles<columns>;
    using RowTile = Tile<S, columns>;
    constexpr int tile = RowTile::elements(tile_rows), own_tile = RowTile::elements(rows);
    const PartialAttentionShape& shape = pass.shape;
    const int head_size = static_cast<int>(shape.head_size);
    BlockPlace place = block_place(tiles, shape.heads);
    place.tile = tiles - 1 - place.tile;  // the last queries see most keys: begin with them
    const std::int64_t first_query = place.tile * rows;

    S* const shared = dynamic_shared<S>();
    const RowTile q{shared}, d_out{shared + own_tile};
    const auto k = [&](int buffer) { return RowTile{shared + 2 * own_tile + buffer * tile}; };
    const auto v = [&](int buffer) { return RowTile{k(2 + buffer).data}; };

    const auto keys = rows_of(pass.k, place, shape.keys, head_size);
    const auto values = rows_of(pass.v, place, shape.keys, head_size);
    const auto start_copy = [&](std::int64_t first, int buffer) {
        copy_rows_async<tile_rows, pass_threads>(keys, first, k(buffer));
        copy_rows_async<tile_rows, pass_threads>(values, first, v(buffer));
        copy_async_commit();
    };
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const int row = warp * 16 * row_tiles;  // the warp's first query in the block
    copy_rows_async<rows, pass_threads>(rows_of(pass.q, place, shape.queries, head_size),
                                        first_query, q);
    copy_rows_async<rows, pass_threads>(rows_of(pass.d_out, place, shape.queries, head_size),
                                        first_query, d_out);
    start_copy(0, 0);
    QueryNumbers numbers[2 * row_tiles];
#pragma unroll
    for (int r = 0; r < 2 * row_tiles; ++r) {
        numbers[r] = query_numbers(pass, place, first_query + row + 8 * r + lane() / 4);
    }
    copy_async_wait<0>();
    __syncthreads();
    const HeldFactor<S, columns, row_tiles> own_q(FirstFactor<S, columns>{q, row});
    const HeldFactor<S, columns, row_tiles> own_d_out(FirstFactor<S, columns>{d_out, row});

    const std::int64_t end = shape.causal ? min(first_query + rows, shape.keys) : shape.keys;
    Product<row_tiles, columns / 8> d_q{};
    std::int64_t first = 0;
    for (int buffer = 0; first < end; first += tile_rows, buffer ^= 1) {
        copy_async_wait<0>();
        __syncthreads();
        if (first + tile_rows < end) start_copy(first + tile_rows, buffer ^ 1);
#pragma unroll 1
        for (int step = 0; step < tile_rows; step += step_rows) {
            // How many of the step's keys the warp's first query sees.
            const std::int64_t all = shape.keys - first - step;
            const std::int64_t before = first_query + row + 1 - first - step;
            const auto there = static_cast<int>(min(all, std::int64_t{step_rows}));
            const auto seen =
                static_cast<int>(shape.causal ? min(before, std::int64_t{step_rows}) : step_rows);
            if (there <= 0 || seen + 16 * row_tiles - 1 <= 0) continue;
            const bool masked = min(there, seen) < step_rows;
            Product<row_tiles, step_rows / 8> p{}, d_s{};
            multiply_rows(own_q, k(buffer), step, p);
            multiply_rows(own_d_out, v(buffer), step, d_s);
#pragma unroll
            for (int r = 0; r < 2 * row_tiles; ++r) {
                const int visible = min(there, shape.causal ? seen + 8 * r + lane() / 4 : there);
#pragma unroll
                for (int n = 0; n < step_rows / 8; ++n) {
#pragma unroll
                    for (int i = 0; i < 2; ++i) {
                        const int key = 8 * n + 2 * (lane() % 4) + i;
                        pair_backward(pass.exponent_scale, numbers[r], !masked || key < visible,
                                      p[r / 2][n][r % 2 * 2 + i], d_s[r / 2][n][r % 2 * 2 + i]);
                    }
                }
            }
            unsigned factor[row_tiles][step_rows / 16][4];
            round_product<S>(d_s, factor);
            multiply_columns(factor, k(buffer), step, d_q);
        }
    }
    write_rows<S, adds>(d_q, pass.scale, first_query + row, shape.queries, head_size,
                        head_rows(pass.d_q, place, head_size), pass.d_q.leading);
}

}  // namespace shardstone::device
