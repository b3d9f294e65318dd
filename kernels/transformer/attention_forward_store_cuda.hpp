// SPDX-License-Identifier: BSD-3-Clause
// How a warp's output of attention_forward_mma_cuda.hpp leaves its registers.
#pragma once

#include "kernels/transformer/attention_forward_mma_cuda.hpp"

namespace shardstone::device {

/// Of each of a thread's rows.
struct WarpResults {
    RowResult of[ForwardTile::parts][2];
};

/// f(part, half, row), unrolled, for the rows of the head of which this thread has elements.
template <class F>
__device__ __forceinline__ void for_each_row_of_thread(int first_query, int queries, const F& f) {
#pragma unroll
    for (int part = 0; part < ForwardTile::parts; ++part) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row =
                first_query + 16 * part + 8 * half + static_cast<int>(threadIdx.x % 32) / 4;
            if (row < queries) f(part, half, row);
        }
    }
}

/// Replaces the log-sum-exps of the warp's rows.
template <bool merges, int size>
__device__ __forceinline__ WarpResults finish_rows(float* log_sum_exp, int first_query, int queries,
                                                   WarpOutput<size>& out) {
#pragma unroll
    for (auto& part : out.rows) {
#pragma unroll
        for (OnlineSoftmax& row : part) {
            row.sum += __shfl_xor_sync(0xffffffffU, row.sum, 1);
            row.sum += __shfl_xor_sync(0xffffffffU, row.sum, 2);
        }
    }
    WarpResults results{};
    for_each_row_of_thread(first_query, queries, [&](int part, int half, int row) {
        results.of[part][half] = result_of<merges>(out.rows[part][half], log_sum_exp + row);
    });
    __syncwarp();  // all four threads of a row have read it
    for_each_row_of_thread(first_query, queries, [&](int part, int half, int row) {
        if (threadIdx.x % 4 == 0) log_sum_exp[row] = results.of[part][half].log_sum_exp;
    });
    return results;
}

/// Through the warp's part of shared memory, which its queries no longer need, so that whole pieces
/// of 16 B are stored. `to`: the head's rows.
template <class S, int size>
__device__ __forceinline__ void store_rows(const WarpOutput<size>& out, const WarpResults& results,
                                           S* shared, S* to, std::int64_t leading, int rows,
                                           int head_size) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int part = 0; part < ForwardTile::parts; ++part) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float take = results.of[part][half].take;
            const int row = 16 * part + 8 * half + lane / 4;
#pragma unroll
            for (int n = 0; n < size / 8; ++n) {
                const float* const pair = &out.of[part][n][2 * half];
                *reinterpret_cast<unsigned*>(shared + tile_index<size>(row, n) + lane % 4 * 2) =
                    narrowed_pair<S>(pair[0] * take, pair[1] * take);
            }
        }
    }
    __syncwarp();
    constexpr int pieces = size / 8;
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
        const int row = (lane + 32 * i) / pieces, piece = (lane + 32 * i) % pieces;
        if (row < rows && 8 * piece < head_size) {
            store_pack(load_pack(shared + tile_index<size>(row, piece)),
                       to + row * leading + 8 * piece);
        }
    }
}

/// `to`: the head's rows.
template <int size>
__device__ __forceinline__ void merge_rows(const WarpOutput<size>& out, const WarpResults& results,
                                           int first_query, int queries, float* to,
                                           std::int64_t leading, int head_size) {
    for_each_row_of_thread(first_query, queries, [&](int part, int half, int row) {
        const RowResult& result = results.of[part][half];
        float* const pair = to + row * leading + static_cast<int>(threadIdx.x % 4) * 2;
#pragma unroll
        for (int n = 0; n < size / 8; ++n) {
            if (8 * n >= head_size) break;
            auto merged = load_pack<float, 2>(pair + 8 * n);
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                merged.element[i] = fmaf(result.keep, merged.element[i],
                                         result.take * out.of[part][n][2 * half + i]);
            }
            store_pack(merged, pair + 8 * n);
        }
    });
}

/// Of a warp's queries from `first` on, through their own part of a tile that it no longer needs.
template <class S, bool merges, int size>
__device__ __forceinline__ void write_output(const ForwardTask<S, merges>& task, int head,
                                             int first, S* own, WarpOutput<size>& out) {
    const AttentionInputs<S>& in = task.in;
    const auto results = finish_rows<merges>(
        task.log_sum_exp.data + head * task.log_sum_exp.per_head, first, in.queries, out);
    auto* const to = head_rows(task.out, head, in.heads, in.head_size);
    if constexpr (merges) {
        merge_rows(out, results, first, in.queries, to, task.out.leading, in.head_size);
    } else {
        store_rows(out, results, own, to + first * task.out.leading, task.out.leading,
                   in.queries - first, in.head_size);
    }
}

/// Blocks that a multiprocessor has registers for, as the compiler is told: two have 255 for each
/// thread, all that there are. Told nothing (0) it gives the largest kernel as many, without
/// spills.
template <int size, bool merges>
inline constexpr int least_forward_blocks = size == 128 && merges ? 0 : 2;

template <class S, int size, bool merges>
__global__ void __launch_bounds__(ForwardTile::threads, (least_forward_blocks<size, merges>))
    forward_by_matrix_unit(const ForwardTask<S, merges> task) {
    const AttentionInputs<S>& in = task.in;
    const auto [head, tile] = task.blocks.at(blockIdx.x);
    S* const queries = dynamic_shared<S>();
    S* const buffers = queries + ForwardTile::queries * size;
    const int first = tile * ForwardTile::queries;
    // To the next tile of keys; values are at a fixed distance from them.
    TileCopier<size, ForwardTile::threads, S> next(head_rows(in.k, head, in.heads, in.head_size),
                                                   in.k.leading, in.head_size);
    const auto keys_at = [&](int t) {
        return buffers + t % 2 * 2 * ForwardTile::keys<size> * size;
    };
    const auto start = [&](int t) {
        constexpr int rows = ForwardTile::keys<size>;
        const int there = in.keys - t * rows;
        next.template start<rows>(keys_at(t), in.k.leading, there);
        next.template start<rows>(keys_at(t) + rows * size, in.k.leading, there, task.to_values);
        next.advance(rows * in.k.leading);
        copy_async_commit();
    };
    const auto arrive = [] {
        copy_async_wait<0>();
        __syncthreads();
    };
    copy_tile_async<size, ForwardTile::queries, ForwardTile::threads>(
        queries, head_rows(in.q, head, in.heads, in.head_size) + first * in.q.leading, in.q.leading,
        in.queries - first, in.head_size);
    start(0);
    arrive();
    const int in_block = static_cast<int>(threadIdx.x / 32) * 16 * ForwardTile::parts;
    const WarpQueries<S, size> own(queries + in_block * size);
    WarpOutput<size> out;
    const int tiles =
        (visible_keys(in, first + ForwardTile::queries) - 1) / ForwardTile::keys<size> + 1;
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) start(t + 1);
        attend(in, task.scale_log2, own, first + in_block, keys_at(t),
               keys_at(t) + ForwardTile::keys<size> * size, t * ForwardTile::keys<size>, out);
        arrive();
    }
    write_output(task, head, first + in_block, queries + in_block * size, out);
}

}  // namespace shardstone::device
