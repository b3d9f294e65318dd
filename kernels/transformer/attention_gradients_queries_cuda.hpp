// SPDX-License-Identifier: BSD-3-Clause
// d_Q on the matrix unit, and on its way rowsum(d_O * O) unless it is there.
#pragma once

#include "kernels/transformer/attention_gradients_mma_cuda.hpp"

namespace shardstone::device {

/// Of the warp's rows of which this thread has elements.
template <int size>
struct ThreadQueries {
    static constexpr int count = 2 * PassTile<size>::parts;
    QueryNumbers of[count];
};

/// How many keys a warp sees: of those from the step's first on, there are `there` and the warp's
/// first query sees `seen`, the next ones one more each.
struct VisibleKeys {
    int there, seen;
    bool causal;
};

/// Adds what the keys from `step` of a tile contribute.
template <bool masked, class S, int size>
__device__ __forceinline__ void queries_step(const HeldRows<S, size>& q,
                                             const HeldRows<S, size>& d_out, const S* k, const S* v,
                                             int step, const ThreadQueries<size>& queries,
                                             const VisibleKeys& visible, float scale_log2,
                                             PassSums<size>& d_q) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    PassScores<size> p{}, d_s{};
    multiply_rows<size>(q, k, step, p);
    multiply_rows<size>(d_out, v, step, d_s);
#pragma unroll
    for (int r = 0; r < ThreadQueries<size>::count; ++r) {
        const int seen = visible.causal ? visible.seen + 8 * r + lane / 4 : visible.there;
        const int end = min(seen, visible.there);
#pragma unroll
        for (int n = 0; n < PassTile<size>::step / 8; ++n) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int key = 8 * n + lane % 4 * 2 + i, at = r % 2 * 2 + i;
                pair_backward(scale_log2, queries.of[r], !masked || key < end, p[r / 2][n][at],
                              d_s[r / 2][n][at]);
            }
        }
    }
    add_weighted<size>(d_s, k, step, d_q);
}

/// A tile of keys; `visible` as of its first step.
template <class S, int size>
__device__ __forceinline__ void queries_tile(const HeldRows<S, size>& q,
                                             const HeldRows<S, size>& d_out, const S* k, const S* v,
                                             const ThreadQueries<size>& queries,
                                             VisibleKeys visible, float scale_log2,
                                             PassSums<size>& d_q) {
    using T = PassTile<size>;
#pragma unroll 1
    for (int step = 0; step < T::loaded; step += T::step) {
        const bool any = visible.there > 0 && (!visible.causal || visible.seen > -T::warp_rows);
        const bool all = visible.there >= T::step && (!visible.causal || visible.seen >= T::step);
        if (all) {
            queries_step<false>(q, d_out, k, v, step, queries, visible, scale_log2, d_q);
        } else if (any) {
            queries_step<true>(q, d_out, k, v, step, queries, visible, scale_log2, d_q);
        }
        visible.there -= T::step;
        visible.seen -= T::step;
    }
}

/// sum + a b of two registers of a fragment, each a pair of elements.
template <class S>
__device__ __forceinline__ float dot_of(unsigned a, unsigned b, float sum) {
    const auto element = [](unsigned pair, int number) {
        S value;
        value.bits = static_cast<std::uint16_t>(pair >> (16 * number));
        return widened(value);
    };
    return fmaf(element(a, 1), element(b, 1), fmaf(element(a, 0), element(b, 0), sum));
}

/// rowsum(d_O * O) of the warp's rows, `out` in shared memory.
template <class S, int size>
__device__ __forceinline__ void add_dots(const HeldRows<S, size>& d_out,
                                         const SharedRows<S, size>& out,
                                         ThreadQueries<size>& queries) {
#pragma unroll
    for (int part = 0; part < PassTile<size>::parts; ++part) {
        float sums[2] = {};
#pragma unroll
        for (int step = 0; step < size / 16; ++step) {
            unsigned a[4], b[4];
            d_out.fragment(part, step, a);
            out.fragment(part, step, b);
#pragma unroll
            for (int i = 0; i < 4; ++i) sums[i % 2] = dot_of<S>(a[i], b[i], sums[i % 2]);
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            sums[half] += __shfl_xor_sync(0xffffffffU, sums[half], 1);
            sums[half] += __shfl_xor_sync(0xffffffffU, sums[half], 2);
            queries.of[2 * part + half].dot = sums[half];
        }
    }
}

/// The numbers of the warp's queries from `first` on; their dots are written where they are made.
template <class S, bool adds, int size>
__device__ __forceinline__ ThreadQueries<size> numbers_of_queries(
    const AttentionPass<S, adds>& pass, int head, int first, const HeldRows<S, size>& d_out,
    const SharedRows<S, size>& out) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const float* const log_sum = pass.numbers(pass.log_sum_exp, head);
    auto* const dots = pass.numbers(pass.dots, head);
    ThreadQueries<size> queries;
    if constexpr (!adds) add_dots(d_out, out, queries);
#pragma unroll
    for (int r = 0; r < ThreadQueries<size>::count; ++r) {
        const int query = first + 8 * r + lane / 4;
        if (query >= pass.in.queries) {
            queries.of[r] = no_query;
            continue;
        }
        queries.of[r].minus_log2_sum = -log2_of_e * log_sum[query];
        if constexpr (adds) {
            queries.of[r].dot = dots[query];
        } else if (lane % 4 == 0) {
            dots[query] = queries.of[r].dot;
        }
    }
    return queries;
}

/// Of a warp's queries, through their own part of a tile that it no longer needs.
template <int size, class S, bool adds>
__device__ __forceinline__ void write_query_sums(const AttentionPass<S, adds>& pass,
                                                 const PassSums<size>& d_q, S* own, int head,
                                                 int warp_query) {
    const int there = pass.in.queries - warp_query;
    if (there <= 0) return;
    write_sums<size>(d_q, pass.scale, own,
                     pass.rows(pass.d_q, head) + warp_query * pass.d_q.leading, pass.d_q.leading,
                     there, pass.in.head_size);
}

template <class S, bool adds, int size>
__global__ void __launch_bounds__(PassTile<size>::threads)
    attention_queries_pass(AttentionPass<S, adds> pass, AttentionBlocks blocks) {
    using T = PassTile<size>;
    const auto& in = pass.in;
    const auto [head, tile] = blocks.at(blockIdx.x);
    const int row = static_cast<int>(threadIdx.x / 32) * T::warp_rows;
    const int first_query = tile * T::rows, warp_query = first_query + row;
    const PassShared<S, size> shared{dynamic_shared<S>()};
    const auto copy_own = [&](const PieceRows<const S>& piece, S* to) {
        copy_tile_async<size, T::rows, T::threads>(
            to, pass.rows(piece, head) + first_query * piece.leading, piece.leading,
            in.queries - first_query, in.head_size);
    };
    copy_own(in.q, shared.own(0));
    copy_own(pass.d_out, shared.own(1));
    if constexpr (!adds) copy_own(pass.out, shared.other(0, 1));  // the second tiles' place
    const auto from = [&](const PieceRows<const S>& piece) {
        return typename TilePairs<S, size>::Copier(pass.rows(piece, head), piece.leading,
                                                   in.head_size);
    };
    TilePairs<S, size> others{from(in.k), from(in.v)};
    const auto start_copy = [&](int begin, int buffer) {
        others.start(shared, buffer, in.k.leading, in.v.leading, in.keys - begin);
    };
    start_copy(0, 0);
    copy_async_wait<0>();
    __syncthreads();
    const HeldRows<S, size> q(SharedRows<S, size>{shared.own(0), row});
    const HeldRows<S, size> d_out(SharedRows<S, size>{shared.own(1), row});
    const auto queries = numbers_of_queries(pass, head, warp_query, d_out,
                                            SharedRows<S, size>{shared.other(0, 1), row});
    PassSums<size> d_q{};
    const int end = in.causal ? min(first_query + T::rows, in.keys) : in.keys;
    for (int first = 0, buffer = 0; first < end; first += T::loaded, buffer ^= 1) {
        copy_async_wait<0>();
        __syncthreads();
        if (first + T::loaded < end) start_copy(first + T::loaded, buffer ^ 1);
        const VisibleKeys visible{in.keys - first, warp_query + 1 - first, in.causal};
        queries_tile(q, d_out, shared.other(0, buffer), shared.other(1, buffer), queries, visible,
                     pass.scale_log2, d_q);
    }
    write_query_sums<size>(pass, d_q, shared.own(0) + row * size, head, warp_query);
}

}  // namespace shardstone::device
