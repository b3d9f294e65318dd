// SPDX-License-Identifier: BSD-3-Clause
// Forward attention by the matrix unit, after FlashAttention-2 (Dao 2023): a block has 128 queries,
// 32 to a warp, whose scores, probabilities and output stay in registers while tiles of 64 keys and
// values (32 of large heads) pass through shared memory, the next one on its way while one is used.
// Two products of 16 rows share every fragment of keys and values, since shared memory feeds the
// matrix unit no faster.
#pragma once

#include "kernels/transformer/attention_forward_cuda.hpp"

namespace shardstone::device {

struct ForwardTile {
    static constexpr int queries = 128, threads = 128;
    static constexpr int parts = 2;  ///< of 16 queries, to a warp
    /// Fewer where the output takes half of the registers.
    template <int size>
    static constexpr int keys = size > 64 ? 32 : 64;

    /// Of the queries, and twice of keys and values.
    template <int size>
    static constexpr std::size_t shared_bytes = (queries + 4 * keys<size>)*size * 2;
};

/// The queries of a warp: in registers, where those have room for them.
template <class S, int size>
struct WarpQueries {
    static constexpr bool stay = size <= 64;
    static constexpr int steps = size / 16;

    const S* tile;  ///< the warp's 32 rows
    unsigned kept[stay ? ForwardTile::parts : 1][stay ? steps : 1][4];

    __device__ __forceinline__ explicit WarpQueries(const S* rows) : tile(rows) {
        if constexpr (stay) {
#pragma unroll
            for (int part = 0; part < ForwardTile::parts; ++part) {
#pragma unroll
                for (int step = 0; step < steps; ++step) {
                    load_rows_as_a<size>(kept[part][step], tile, 16 * part, step);
                }
            }
        }
    }
    __device__ __forceinline__ void get(unsigned (&a)[4], int part, int step) const {
        if constexpr (stay) {
#pragma unroll
            for (int i = 0; i < 4; ++i) a[i] = kept[part][step][i];
        } else {
            load_rows_as_a<size>(a, tile, 16 * part, step);
        }
    }
};

/// A thread's share of what a warp computes: rows g and g + 8 of each part, two columns of eight.
template <int size>
struct WarpScores {
    float of[ForwardTile::parts][ForwardTile::keys<size> / 8][4];
};
template <int size>
struct WarpOutput {
    float of[ForwardTile::parts][size / 8][4] = {};
    OnlineSoftmax rows[ForwardTile::parts][2];
};

template <class S, int size>
__device__ __forceinline__ void multiply_by_keys(const WarpQueries<S, size>& queries, const S* keys,
                                                 WarpScores<size>& scores) {
    scores = {};
#pragma unroll
    for (int step = 0; step < size / 16; ++step) {
        unsigned a[ForwardTile::parts][4];
#pragma unroll
        for (int part = 0; part < ForwardTile::parts; ++part) queries.get(a[part], part, step);
#pragma unroll
        for (int n = 0; n < ForwardTile::keys<size> / 16; ++n) {
            unsigned b[2][2];
            load_rows_as_b<size>(b, keys, 16 * n, step);
#pragma unroll
            for (int part = 0; part < ForwardTile::parts; ++part) {
                mma_m16n8k16<S>(scores.of[part][2 * n], a[part], b[0]);
                mma_m16n8k16<S>(scores.of[part][2 * n + 1], a[part], b[1]);
            }
        }
    }
}

/// Of one part: masks all but the first `visible[half]` keys of the tile for the rows of each half.
template <int columns>
__device__ __forceinline__ void mask(float (&scores)[columns][4], const int (&visible)[2]) {
    const int pair = 2 * (static_cast<int>(threadIdx.x % 4));
#pragma unroll
    for (int n = 0; n < columns; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (8 * n + pair + i % 2 >= visible[i / 2]) scores[n][i] = minus_infinity;
        }
    }
}

/// Of one part: scores become exponentials, and the output so far is scaled to the new offsets.
template <int columns, int channels>
__device__ __forceinline__ void exponentiate(float (&scores)[columns][4], float scale_log2,
                                             OnlineSoftmax (&rows)[2], float (&out)[channels][4]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float largest = minus_infinity;
#pragma unroll
        for (int n = 0; n < columns; ++n) {
            largest = fmaxf(largest, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
        }
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, 1));
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, 2));
        const float factor = rows[half].raise(largest, scale_log2);
#pragma unroll
        for (int n = 0; n < columns; ++n) {
#pragma unroll
            for (int i = 2 * half; i < 2 * half + 2; ++i) {
                scores[n][i] = rows[half].add(scores[n][i], scale_log2);
            }
        }
#pragma unroll
        for (int n = 0; n < channels; ++n)
            out[n][2 * half] *= factor, out[n][2 * half + 1] *= factor;
    }
}

template <class S, int size>
__device__ __forceinline__ void add_values(const WarpScores<size>& scores, const S* values,
                                           WarpOutput<size>& out) {
#pragma unroll
    for (int step = 0; step < ForwardTile::keys<size> / 16; ++step) {
        unsigned a[ForwardTile::parts][4];
#pragma unroll
        for (int part = 0; part < ForwardTile::parts; ++part) {
            narrowed_as_a<S>(a[part], scores.of[part][2 * step], scores.of[part][2 * step + 1]);
        }
#pragma unroll
        for (int n = 0; n < size / 16; ++n) {
            unsigned b[2][2];
            load_columns_as_b<size>(b, values, 16 * step, n);
#pragma unroll
            for (int part = 0; part < ForwardTile::parts; ++part) {
                mma_m16n8k16<S>(out.of[part][2 * n], a[part], b[0]);
                mma_m16n8k16<S>(out.of[part][2 * n + 1], a[part], b[1]);
            }
        }
    }
}

/// One tile of keys, of which the warp's queries from `first_query` see the first ones.
template <class S, int size>
__device__ __forceinline__ void attend(const AttentionInputs<S>& in, float scale_log2,
                                       const WarpQueries<S, size>& queries, int first_query,
                                       const S* keys, const S* values, int first_key,
                                       WarpOutput<size>& out) {
    if (first_key >= visible_keys(in, first_query + 16 * ForwardTile::parts)) return;
    constexpr int tile = ForwardTile::keys<size>;
    WarpScores<size> scores;
    multiply_by_keys(queries, keys, scores);
#pragma unroll
    for (int part = 0; part < ForwardTile::parts; ++part) {
        const int first_row = first_query + 16 * part;
        if (first_key + tile > visible_keys(in, first_row + 1)) {
            const int row = first_row + static_cast<int>(threadIdx.x % 32) / 4;
            const int visible[2] = {visible_keys(in, row + 1) - first_key,
                                    visible_keys(in, row + 9) - first_key};
            mask(scores.of[part], visible);
        }
        exponentiate(scores.of[part], scale_log2, out.rows[part], out.of[part]);
    }
    add_values<S>(scores, values, out);
}

}  // namespace shardstone::device
