// SPDX-License-Identifier: BSD-3-Clause
// Rows of logits in kernels, one to a block: read and written in packs wherever they begin in
// memory, and their exponentials summed in an order that their columns alone decide.
#pragma once

#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"

namespace shardstone::device {

/// Threads of a block that has a row of logits: two such blocks run on a multiprocessor at a time,
/// one reads while the other computes.
inline constexpr int logit_threads = 512;

__device__ inline float minus_infinity() {
    return -INFINITY;
}

/// A row of T = S or const S in aligned packs of 16 B, of which the first and the last may reach
/// beyond it: those are read and written by element, and read as if -infinity stood beyond, which
/// changes no maximum and no sum of exponentials. Pack p belongs to thread p % logit_threads of the
/// block.
template <class T>
class LogitRow {
    using S = std::remove_const_t<T>;
    static constexpr int packs_in_flight = 4;

  public:
    static constexpr int width = pack_size<S>;

    __device__ LogitRow(T* row, std::int64_t columns)
        : first_(static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % 16 / sizeof(S))),
          end_(first_ + columns),
          base_(row - first_) {}

    /// Element 0 of pack 0 is this many before column 0.
    __device__ int first() const { return first_; }
    __device__ int packs() const { return static_cast<int>((end_ + width - 1) / width); }

    /// Calls f(p, pack) for the packs of this thread in ascending order. All loads of a few packs
    /// are under way before f sees the first one, so f may store there.
    template <class F>
    __device__ void for_each_pack(const F& f) const {
        const int thread = static_cast<int>(threadIdx.x);
        const int begin = first_ > 0 ? 1 : 0, end = static_cast<int>(end_ / width);  // whole packs
        if (thread == 0 && first_ > 0 && end_ > first_) f(0, partial_pack(0));
        for (int p = thread; p < end; p += packs_in_flight * logit_threads) {
            Pack<S, width> packs[packs_in_flight] = {};
#pragma unroll
            for (int i = 0; i < packs_in_flight; ++i) {
                const int q = p + i * logit_threads;
                if (q >= begin && q < end) packs[i] = load_pack(address(q));
            }
#pragma unroll
            for (int i = 0; i < packs_in_flight; ++i) {
                const int q = p + i * logit_threads;
                if (q >= begin && q < end) f(q, packs[i]);
            }
        }
        const bool has_tail = end_ % width > 0 && end >= begin;
        if (has_tail && thread == end % logit_threads) f(end, partial_pack(end));
    }

    /// Of a pack of this thread; changes nothing beyond the row.
    __device__ void store(int p, const Pack<S, width>& pack) const {
        const std::int64_t at = static_cast<std::int64_t>(p) * width;
        if (at >= first_ && at + width <= end_) {
            store_pack(pack, base_ + at);
            return;
        }
#pragma unroll
        for (int j = 0; j < width; ++j) {
            if (at + j >= first_ && at + j < end_) base_[at + j] = pack.element[j];
        }
    }

  private:
    __device__ T* address(int p) const {
        return base_ + static_cast<std::int64_t>(p) * width;
    }
    __device__ Pack<S, width> partial_pack(int p) const {
        const std::int64_t at = static_cast<std::int64_t>(p) * width;
        Pack<S, width> pack;
#pragma unroll
        for (int j = 0; j < width; ++j) {
            const bool is_inside = at + j >= first_ && at + j < end_;
            pack.element[j] = is_inside ? base_[at + j] : narrowed<S>(minus_infinity());
        }
        return pack;
    }

    int first_;         ///< of the row's elements, counted from base_
    std::int64_t end_;  ///< of them
    T* base_;
};

/// What over_block() needs.
using WarpResults = float[warp_size];

/// e^x for x <= 0 as 2^(x log2 e), the product rounded and log2 e off by 0.22 u: to first order off
/// by 1.22 u |x| and, from 2^x, 2^-22 = 4 u; below -87 it is 0. The bounds of
/// validation/numerics/kernels/cross_entropy_bounds.hpp hold: a sum of V terms there is off by u
/// |x| and 4 u of each term, x the largest in magnitude, and (V + 1) u of the sum. The 1.22 u |x|
/// more that each term's share p = e^x / sum is off come to at most 1.22 u log V in all, since the
/// sum of p |x| is the entropy of p less the logarithm of the sum; (V + 1) u covers that, no term
/// being in more than ceil(V / 2048) + 18 additions to anything but zero, and in fewer than V. Of a
/// gradient's p, 1.22 u |x| more are within the second log-sum-exp's error that is counted there,
/// of which the difference needs u |x| alone.
__device__ inline float fast_exponential(float x) {
    return exp2_approximate(1.44269504F * x);
}

/// Adds up exponentials that are held by thread and place in the pack. Each sum is of the columns c
/// of one c % (width * logit_threads), in ascending order, wherever the row begins; they are put
/// where that number says (`sums`, one each, shared by the block) and added in that order.
template <int width>
__device__ inline float in_order_of_columns(const float (&of_place)[width], int first, float* sums,
                                            WarpResults& warps) {
    constexpr unsigned count = width * logit_threads;
#pragma unroll
    for (int j = 0; j < width; ++j) {
        const unsigned column = (threadIdx.x * width + j - first + count) % count;
        sums[column % width * logit_threads + column / width] = of_place[j];
    }
    __syncthreads();
    float sum = 0.0F;
#pragma unroll
    for (int j = 0; j < width; ++j) sum += sums[j * logit_threads + threadIdx.x];
    return over_block(sum, 0.0F, &warps[0]);
}

/// The largest element, -infinity if there are none or NaNs alone; `f(p, pack)` sees all packs.
template <class T, class F>
__device__ inline float row_maximum(const LogitRow<T>& row, WarpResults& warps, const F& f) {
    float highest = minus_infinity();
    row.for_each_pack([&](int p, const auto& pack) {
#pragma unroll
        for (int j = 0; j < row.width; ++j) highest = fmaxf(highest, widened(pack.element[j]));
        f(p, pack);
    });
    return over_block(highest, minus_infinity(), &warps[0], Larger{});
}

/// The sums of exponentials of one row by place in the pack.
template <int width>
struct ExponentialSums {
    float of_place[width] = {};

    template <class S>
    __device__ void add(const Pack<S, width>& pack, float highest) {
#pragma unroll
        for (int j = 0; j < width; ++j) {
            of_place[j] += fast_exponential(widened(pack.element[j]) - highest);
        }
    }
};

/// The grid for kernels with a block per row.
inline Launch block_per_row(std::int64_t rows, std::size_t shared_bytes = 0) {
    return {dim3(static_cast<unsigned>(rows)), dim3(logit_threads), shared_bytes};
}

template <class S>
inline constexpr std::size_t column_sums_bytes = pack_size<S>* logit_threads * sizeof(float);

inline constexpr int loss_threads = 1024;

/// Adds to `loss` the sum of log_sum_exp - target_logit(row, target) over the rows not ignored, in
/// double: each thread of the only block adds up as many consecutive rows as any other, then the
/// block adds up its threads. Rows are read by column of threads, in no order that memory likes,
/// but they are few.
template <class TargetLogit>
__global__ void __launch_bounds__(loss_threads)
    add_loss(const std::int32_t* targets, std::int64_t rows, const float* log_sum_exp,
             TargetLogit target_logit, double* loss) {
    using Partial = double[warp_size];
    SHARDSTONE_SHARED(Partial, partial);
    const std::int64_t each = (rows + loss_threads - 1) / loss_threads;
    const std::int64_t begin = threadIdx.x * each, end = begin + each < rows ? begin + each : rows;
    double sum = 0.0;
#pragma unroll 4
    for (std::int64_t r = begin; r < end; ++r) {
        const std::int32_t target = targets[r];
        if (target >= 0) {
            sum +=
                static_cast<double>(log_sum_exp[r]) - static_cast<double>(target_logit(r, target));
        }
    }
    sum = over_block(sum, 0.0, &partial[0]);
    if (threadIdx.x == 0) *loss += sum;
}

}  // namespace shardstone::device
