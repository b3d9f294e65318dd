// SPDX-License-Identifier: BSD-3-Clause
// What both of attention's backward passes on the matrix unit are made of: their tiles in shared
// memory, and a warp's products of its own rows and some of the others.
//
// A warp owns rows, keys or queries, and computes products with 32 of the others at a time, that
// lie in double-buffered tiles of 64.
#pragma once

#include "kernels/transformer/attention_gradients_cuda.hpp"

namespace shardstone::device {

template <int size>
struct PassTile {
    static constexpr int warps = 4, threads = 32 * warps;
    static constexpr int loaded = 64, step = 32;  ///< rows of the others
    /// Own rows of a warp, in sixteens: two where the accumulators leave room, so that a fragment
    /// of the others serves two products.
    static constexpr int parts = size <= 64 ? 2 : 1;
    static constexpr int warp_rows = 16 * parts, rows = warps * warp_rows;
};

/// A warp's sums of (own rows, head_size), and scores or the like of (own rows, 32 others).
template <int size>
using PassSums = float[PassTile<size>::parts][size / 8][4];
template <int size>
using PassScores = float[PassTile<size>::parts][PassTile<size>::step / 8][4];

/// Of each query, for its scores: -log2 of its sum of exponentials, and rowsum(d_O * O).
struct QueryNumbers {
    float minus_log2_sum, dot;
};
/// Of a query that is not there: its probabilities and d_S are zero.
inline constexpr QueryNumbers no_query{minus_infinity, 0.0F};

/// A block's shared memory: two tensors of its own rows, two of the others', twice.
template <class S, int size>
struct PassShared {
    using T = PassTile<size>;
    static constexpr int own_elements = T::rows * size, other_elements = T::loaded * size;
    static constexpr std::size_t bytes =
        (2 * own_elements + 4 * other_elements) * sizeof(S) + 2 * T::loaded * sizeof(QueryNumbers);
    S* base;

    __device__ S* own(int which) const { return base + which * own_elements; }
    __device__ S* other(int which, int buffer) const {
        return base + 2 * own_elements + (2 * buffer + which) * other_elements;
    }
    __device__ QueryNumbers* numbers(int buffer) const {
        return reinterpret_cast<QueryNumbers*>(other(0, 2)) + buffer * T::loaded;
    }
};

/// Two tensors of a head, of which tile after tile is copied.
template <class S, int size>
struct TilePairs {
    using T = PassTile<size>;
    using Copier = TileCopier<size, T::threads, S>;
    Copier first, second;

    /// Starts the copy of the next tiles, of which `there` rows are there.
    __device__ __forceinline__ void start(const PassShared<S, size>& shared, int buffer,
                                          std::int64_t first_leading, std::int64_t second_leading,
                                          int there) {
        first.template start<T::loaded>(shared.other(0, buffer), first_leading, there);
        second.template start<T::loaded>(shared.other(1, buffer), second_leading, there);
        copy_async_commit();
        first.advance(T::loaded * first_leading);
        second.advance(T::loaded * second_leading);
    }
};

/// A warp's own rows as first factors: read from shared memory each time, or once.
template <class S, int size>
struct SharedRows {
    const S* tile;
    int row;

    /// For use in a loop: its addresses are not worth registers outside.
    __device__ __forceinline__ SharedRows in_loop() const { return {tile, opaque(row)}; }
    __device__ __forceinline__ void fragment(int part, int step, unsigned (&a)[4]) const {
        load_rows_as_a<size>(a, tile, row + 16 * part, step);
    }
};
template <class S, int size>
struct HeldRows {
    unsigned held[PassTile<size>::parts][size / 16][4];

    __device__ __forceinline__ explicit HeldRows(const SharedRows<S, size>& from) {
#pragma unroll
        for (int part = 0; part < PassTile<size>::parts; ++part) {
#pragma unroll
            for (int step = 0; step < size / 16; ++step) {
                from.fragment(part, step, held[part][step]);
            }
        }
    }
    __device__ __forceinline__ const HeldRows& in_loop() const {
        return *this;
    }
    __device__ __forceinline__ void fragment(int part, int step, unsigned (&a)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) a[i] = held[part][step][i];
    }
};

/// scores += own rows times the transpose of the others from `row` on.
template <int size, class S, class OwnRows>
__device__ __forceinline__ void multiply_rows(const OwnRows& own, const S* others, int row,
                                              PassScores<size>& scores) {
    constexpr int parts = PassTile<size>::parts;
    const auto& first_factor = own.in_loop();
    row = opaque(row);
#pragma unroll
    for (int step = 0; step < size / 16; ++step) {
        unsigned a[parts][4];
#pragma unroll
        for (int part = 0; part < parts; ++part) first_factor.fragment(part, step, a[part]);
#pragma unroll
        for (int n = 0; n < PassTile<size>::step / 8; n += 2) {
            unsigned b[2][2];
            load_rows_as_b<size>(b, others, row + 8 * n, step);
#pragma unroll
            for (int part = 0; part < parts; ++part) {
                mma_m16n8k16<S>(scores[part][n], a[part], b[0]);
                mma_m16n8k16<S>(scores[part][n + 1], a[part], b[1]);
            }
        }
    }
}

/// sums += scores, rounded to S, times the others from `row` on.
template <int size, class S>
__device__ __forceinline__ void add_weighted(const PassScores<size>& scores, const S* others,
                                             int row, PassSums<size>& sums) {
    constexpr int parts = PassTile<size>::parts;
    row = opaque(row);
#pragma unroll
    for (int k = 0; k < PassTile<size>::step / 16; ++k) {
        unsigned a[parts][4];
#pragma unroll
        for (int part = 0; part < parts; ++part) {
            narrowed_as_a<S>(a[part], scores[part][2 * k], scores[part][2 * k + 1]);
        }
#pragma unroll
        for (int n = 0; n < size / 8; n += 2) {
            unsigned b[2][2];
            load_columns_as_b<size>(b, others, row + 16 * k, n / 2);
#pragma unroll
            for (int part = 0; part < parts; ++part) {
                mma_m16n8k16<S>(sums[part][n], a[part], b[0]);
                mma_m16n8k16<S>(sums[part][n + 1], a[part], b[1]);
            }
        }
    }
}

// P = 2^(c s - l), c = log2(e) / sqrt(D) rounded once, l = log2(e) L: c and its product cost no
// more roundings of s than scaling it does; l is off by 1.3 u |l|, and the difference is rounded
// once.

/// Scores to P and d_P to d_S of one pair.
__device__ __forceinline__ void pair_backward(float scale_log2, const QueryNumbers& query,
                                              bool is_visible, float& score, float& d_p) {
    const float p = exp2_approximate(fmaf(score, scale_log2, query.minus_log2_sum));
    score = is_visible ? p : 0.0F;
    d_p = score * (d_p - query.dot);
}

/// `factor` times a warp's sums into the first `rows` rows at `to`, through the warp's own part of
/// shared memory, so that whole pieces of 16 B are stored.
template <int size, class S>
__device__ __forceinline__ void write_sums(const PassSums<size>& sums, float factor, S* shared,
                                           S* to, std::int64_t leading, int rows, int head_size) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    __syncwarp();  // all lanes have read what was there
#pragma unroll
    for (int r = 0; r < 2 * PassTile<size>::parts; ++r) {
#pragma unroll
        for (int n = 0; n < size / 8; ++n) {
            const float* const pair = sums[r / 2][n] + r % 2 * 2;
            *reinterpret_cast<unsigned*>(shared + tile_index<size>(8 * r + lane / 4, n) +
                                         lane % 4 * 2) =
                narrowed_pair<S>(factor * pair[0], factor * pair[1]);
        }
    }
    __syncwarp();
    constexpr int pieces = size / 8;
#pragma unroll
    for (int i = 0; i < PassTile<size>::warp_rows * pieces / 32; ++i) {
        const int row = (lane + 32 * i) / pieces, piece = (lane + 32 * i) % pieces;
        if (row < rows && 8 * piece < head_size) {
            store_pack(load_pack(shared + tile_index<size>(row, piece)),
                       to + row * leading + 8 * piece);
        }
    }
}
/// The same, added to numbers in FP32.
template <int size, class S>
__device__ __forceinline__ void write_sums(const PassSums<size>& sums, float factor, S*, float* to,
                                           std::int64_t leading, int rows, int head_size) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int r = 0; r < 2 * PassTile<size>::parts; ++r) {
        const int row = 8 * r + lane / 4;
        if (row >= rows) continue;
#pragma unroll
        for (int n = 0; n < size / 8; ++n) {
            if (8 * n >= head_size) continue;
            float* const at = to + row * leading + 8 * n + lane % 4 * 2;
            Pack<float, 2> pair = load_pack<float, 2>(at);
            pair.element[0] = fmaf(factor, sums[r / 2][n][r % 2 * 2], pair.element[0]);
            pair.element[1] = fmaf(factor, sums[r / 2][n][r % 2 * 2 + 1], pair.element[1]);
            store_pack(pair, at);
        }
    }
}

}  // namespace shardstone::device
