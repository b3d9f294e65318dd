// SPDX-License-Identifier: BSD-3-Clause
// Forward attention in FP32 arithmetic without the matrix unit, for FP32 tensors and for head sizes
// or addresses that the matrix unit cannot have: a block has 64 queries, tiles of 64 keys and
// values pass through shared memory, and 16 threads share four rows of queries.
#pragma once

#include "kernels/transformer/attention_forward_cuda.hpp"

namespace shardstone::device {

struct PlainTile {
    static constexpr int rows = 64;  ///< queries as well as keys
    static constexpr int threads = 256;
    static constexpr int own = 4;       ///< rows of a thread
    static constexpr int sharing = 16;  ///< threads that share rows

    /// Queries, keys, values, probabilities.
    template <int size>
    static constexpr std::size_t shared_bytes = rows*(3 * plain_leading<size> +
                                                      plain_leading<rows>)*sizeof(float);
};

template <int size>
struct PlainShared {
    float* queries = dynamic_shared<float>();
    float* keys = queries + PlainTile::rows * plain_leading<size>;
    float* values = keys + PlainTile::rows * plain_leading<size>;
    float* probabilities = values + PlainTile::rows * plain_leading<size>;
};

/// A thread's channels of its rows' output: `vector` at a time, `sharing` threads side by side.
template <int size>
struct PlainOutput {
    static constexpr int channels = size / PlainTile::sharing;
    static constexpr int vector = channels < 4 ? channels : 4;

    float of[PlainTile::own][channels] = {};
    OnlineSoftmax rows[PlainTile::own];

    __device__ static int channel(int i) {
        const int thread = static_cast<int>(threadIdx.x % PlainTile::sharing);
        return (i / vector * PlainTile::sharing + thread) * vector + i % vector;
    }
};

/// Scores of a thread's rows with every 16th key, from its own.
template <int size>
__device__ inline void plain_scores(const PlainShared<size>& shared,
                                    float (&scores)[PlainTile::own][PlainTile::own]) {
    const int thread = static_cast<int>(threadIdx.x % PlainTile::sharing);
    const int row = static_cast<int>(threadIdx.x / PlainTile::sharing) * PlainTile::own;
#pragma unroll 4
    for (int c = 0; c < size; c += 4) {
        Pack<float, 4> q[PlainTile::own], k[PlainTile::own];
#pragma unroll
        for (int i = 0; i < PlainTile::own; ++i) {
            q[i] = load_pack(shared.queries + (row + i) * plain_leading<size> + c);
            k[i] = load_pack(shared.keys + (thread + PlainTile::sharing * i) * plain_leading<size> +
                             c);
        }
#pragma unroll
        for (int i = 0; i < PlainTile::own; ++i) {
#pragma unroll
            for (int j = 0; j < PlainTile::own; ++j) {
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    scores[i][j] = fmaf(q[i].element[e], k[j].element[e], scores[i][j]);
                }
            }
        }
    }
}

/// Row i of the thread: masks, exponentiates and writes to shared memory, rounded to S.
template <class S, int size>
__device__ inline void plain_probabilities(float (&scores)[PlainTile::own], int visible,
                                           float scale_log2, int i, PlainOutput<size>& out,
                                           float* probabilities) {
    const int thread = static_cast<int>(threadIdx.x % PlainTile::sharing);
    float largest = minus_infinity;
#pragma unroll
    for (int j = 0; j < PlainTile::own; ++j) {
        if (thread + PlainTile::sharing * j >= visible) scores[j] = minus_infinity;
        largest = fmaxf(largest, scores[j]);
    }
#pragma unroll
    for (int distance = PlainTile::sharing / 2; distance > 0; distance /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, distance));
    }
    const float factor = out.rows[i].raise(largest, scale_log2);
#pragma unroll
    for (float& channel : out.of[i]) channel *= factor;
#pragma unroll
    for (int j = 0; j < PlainTile::own; ++j) {
        probabilities[thread + PlainTile::sharing * j] =
            widened(narrowed<S>(out.rows[i].add(scores[j], scale_log2)));
    }
}

template <int size>
__device__ inline void plain_values(const PlainShared<size>& shared, PlainOutput<size>& out) {
    using Output = PlainOutput<size>;
    const int row = static_cast<int>(threadIdx.x / PlainTile::sharing) * PlainTile::own;
#pragma unroll 2
    for (int key = 0; key < PlainTile::rows; key += 4) {
        Pack<float, 4> p[PlainTile::own];
#pragma unroll
        for (int i = 0; i < PlainTile::own; ++i) {
            p[i] =
                load_pack(shared.probabilities + (row + i) * plain_leading<PlainTile::rows> + key);
        }
#pragma unroll
        for (int e = 0; e < 4; ++e) {
#pragma unroll
            for (int c = 0; c < Output::channels; c += Output::vector) {
                const auto v = load_pack<float, Output::vector>(
                    shared.values + (key + e) * plain_leading<size> + Output::channel(c));
#pragma unroll
                for (int i = 0; i < PlainTile::own; ++i) {
#pragma unroll
                    for (int f = 0; f < Output::vector; ++f) {
                        out.of[i][c + f] = fmaf(p[i].element[e], v.element[f], out.of[i][c + f]);
                    }
                }
            }
        }
    }
}

/// Row i of the thread, `row` of the head.
template <class S, bool merges, int size>
__device__ inline void store_plain_row(const ForwardTask<S, merges>& task, int head, int row, int i,
                                       PlainOutput<size>& out) {
#pragma unroll
    for (int distance = PlainTile::sharing / 2; distance > 0; distance /= 2) {
        out.rows[i].sum += __shfl_xor_sync(0xffffffffU, out.rows[i].sum, distance);
    }
    const bool there = row < task.in.queries;
    float* const log_sum_exp = task.log_sum_exp.data + head * task.log_sum_exp.per_head + row;
    const RowResult result = there ? result_of<merges>(out.rows[i], log_sum_exp) : RowResult{};
    __syncwarp();  // all threads of the row have read it
    if (!there) return;
    if (threadIdx.x % PlainTile::sharing == 0) *log_sum_exp = result.log_sum_exp;
    auto* const to =
        head_rows(task.out, head, task.in.heads, task.in.head_size) + row * task.out.leading;
#pragma unroll
    for (int c = 0; c < PlainOutput<size>::channels; ++c) {
        const int channel = PlainOutput<size>::channel(c);
        if (channel >= task.in.head_size) continue;
        const float part = result.take * out.of[i][c];
        if constexpr (merges) {
            to[channel] = fmaf(result.keep, to[channel], part);
        } else {
            to[channel] = narrowed<S>(part);
        }
    }
}

template <class S, int size, bool merges>
__global__ void __launch_bounds__(PlainTile::threads)
    forward_plainly(const ForwardTask<S, merges> task) {
    constexpr int rows = PlainTile::rows, threads = PlainTile::threads;
    const AttentionInputs<S>& in = task.in;
    const auto [head, tile] = task.blocks.at(blockIdx.x);
    const PlainShared<size> shared;
    const auto load = [&](float* to, const PieceRows<const S>& from, int first, int count) {
        load_plain_tile<size, rows, threads>(
            to, head_rows(from, head, in.heads, in.head_size) + first * from.leading, from.leading,
            count - first, in.head_size);
    };
    const int first = tile * rows;
    const int in_block = static_cast<int>(threadIdx.x / PlainTile::sharing) * PlainTile::own;
    load(shared.queries, in.q, first, in.queries);
    PlainOutput<size> out;
    for (int key = 0; key < visible_keys(in, first + rows); key += rows) {
        load(shared.keys, in.k, key, in.keys);
        load(shared.values, in.v, key, in.keys);
        __syncthreads();
        float scores[PlainTile::own][PlainTile::own] = {};
        plain_scores(shared, scores);
#pragma unroll
        for (int i = 0; i < PlainTile::own; ++i) {
            plain_probabilities<S>(scores[i], visible_keys(in, first + in_block + i + 1) - key,
                                   task.scale_log2, i, out,
                                   shared.probabilities + (in_block + i) * plain_leading<rows>);
        }
        __syncwarp();  // threads that share rows are of one warp
        plain_values(shared, out);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < PlainTile::own; ++i) {
        store_plain_row(task, head, first + in_block + i, i, out);
    }
}

}  // namespace shardstone::device
