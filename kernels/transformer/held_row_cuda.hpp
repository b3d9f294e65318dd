// SPDX-License-Identifier: BSD-3-Clause
// Rows of a matrix that are read more than once, kept in registers meanwhile: a warp has a row of
// up to 1024 elements, a block of several warps a longer one; rows beyond what a block can hold are
// read again each time. For the kernels' own sources (*.cu).
#pragma once

#include <algorithm>

#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"

namespace shardstone::device {

/// Packs that a thread holds at most: 32 elements, of which the compiler keeps widened copies.
template <int count>
inline constexpr int most_held = count == 1 ? 8 : 32 / count;
inline constexpr int most_threads_of_row = 512;  ///< leaves 128 registers to each

/// Calls f(i, column) for the thread's packs of `count` columns: for its first `held` ones, or for
/// all where `held` is 0, and then i is 0.
template <int count, int held, class F>
__device__ inline void for_packs_of_row(int columns, const F& f) {
    const int step = static_cast<int>(blockDim.x) * count;
    int column = static_cast<int>(threadIdx.x) * count;
    if constexpr (held == 0) {
        for (; column < columns; column += step) f(0, column);
    } else {
#pragma unroll
        for (int i = 0; i < held; ++i, column += step) {
            if (column < columns) f(i, column);
        }
    }
}

/// A thread's packs of a row.
template <class T, int count, int held>
class HeldRow {
  public:
    __device__ HeldRow(const T* row, int columns) : row_(row), columns_(columns) {
        if constexpr (held > 0) {
            for_packs_of_row<count, held>(columns, [this](int i, int column) {
                packs_[i] = load_pack<T, count>(row_ + column);
            });
        }
    }
    __device__ Pack<T, count> at(int i, int column) const {
        if constexpr (held > 0) return packs_[i];
        return load_pack<T, count>(row_ + column);
    }
    /// f(value) for each element.
    template <class F>
    __device__ void for_each(const F& f) const {
        for_packs_of_row<count, held>(columns_, [&](int i, int column) {
            const auto pack = at(i, column);
#pragma unroll
            for (int k = 0; k < count; ++k) f(widened(pack.element[k]));
        });
    }

  private:
    const T* row_;
    int columns_;
    Pack<T, count> packs_[std::max(held, 1)];
};

/// The sum over all threads of a row. `partial`: what over_block() shares.
__device__ inline float over_row(float value, float* partial) {
    if (blockDim.x == warp_size) return over_warp(value);
    return over_block(value, 0.0F, partial);
}
struct RowPartial {
    float value[warp_size];
};

namespace detail {

/// Where a row takes most of a thread's registers, one block at once is enough to ask for: else the
/// compiler puts some into memory to have room for another. 0 leaves the number to it.
template <int count, int held>
inline constexpr int least_blocks_of_row = held == most_held<count> ? 1 : 0;

template <int count, int held, class F>
__global__ void __launch_bounds__(most_threads_of_row, least_blocks_of_row<count, held>)
    each_row(F f, std::int64_t rows) {
    SHARDSTONE_SHARED(RowPartial, partial);
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row < rows) f.template run<count, held>(row, partial.value);
}

template <int count, int held, class F>
void launch_each_row(cudaStream_t stream, const F& f, std::int64_t rows, std::int64_t threads) {
    const std::int64_t at_once = threads == warp_size ? 4 : 1;
    launch(each_row<count, held, F>,
           {dim3(static_cast<unsigned>((rows + at_once - 1) / at_once)),
            dim3(static_cast<unsigned>(threads), static_cast<unsigned>(at_once))},
           stream, f, rows);
}

/// `packs` of `count` in a row, no more than a block can hold.
template <int count, class F>
void launch_holding_rows(cudaStream_t stream, const F& f, std::int64_t rows, std::int64_t packs) {
    constexpr int most = most_held<count>;
    const std::int64_t of_warp = most * warp_size;
    const std::int64_t threads = (packs + of_warp - 1) / of_warp * warp_size;
    const std::int64_t held = (packs + threads - 1) / threads;
    if constexpr (count == 1) {  // the exception: one kernel will do
        launch_each_row<count, most>(stream, f, rows, threads);
    } else if (held <= most / 4) {
        launch_each_row<count, most / 4>(stream, f, rows, threads);
    } else if (held <= most / 2) {
        launch_each_row<count, most / 2>(stream, f, rows, threads);
    } else if (held <= most / 4 * 3) {
        launch_each_row<count, most / 4 * 3>(stream, f, rows, threads);
    } else {
        launch_each_row<count, most>(stream, f, rows, threads);
    }
}

}  // namespace detail

/// Calls f.run<n, held>(row, partial) for each row, by all threads of it. n is `count` where
/// everything is `aligned` to packs of so many, else 1. A row has fewer than 2^31 columns.
template <int count, class F>
void for_each_held_row(cudaStream_t stream, const F& f, std::int64_t rows, std::int64_t columns,
                       bool aligned) {
    if (rows == 0 || columns == 0) return;
    if (aligned && columns % count == 0 &&
        columns <= count * most_held<count> * most_threads_of_row) {
        detail::launch_holding_rows<count>(stream, f, rows, columns / count);
    } else if (columns <= most_held<1> * most_threads_of_row) {
        detail::launch_holding_rows<1>(stream, f, rows, columns);
    } else {
        detail::launch_each_row<1, 0>(stream, f, rows, most_threads_of_row);
    }
}

}  // namespace shardstone::device
