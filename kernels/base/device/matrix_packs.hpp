// SPDX-License-Identifier: BSD-3-Clause
// Elementwise kernels on matrices, whose rows need not follow each other in memory. A thread has
// one pack of columns of two rows, both under way at once, and no index is divided to find them.
#pragma once

#include "kernels/base/device/elements.hpp"

namespace shardstone::device {

namespace detail {

inline constexpr int lanes_of_packs = 32, rows_of_packs = 8, rows_per_thread = 2;

/// Neighbouring blocks have the strips of the same rows, which lie together in memory.
template <int count, class F>
__global__ void each_pack(F f, std::int64_t rows, std::int64_t columns, unsigned strips) {
    const auto first =
        static_cast<std::int64_t>(blockIdx.x / strips) * (rows_per_thread * rows_of_packs) +
        threadIdx.y;
    const std::int64_t strip = blockIdx.x % strips;
    const std::int64_t column = (strip * lanes_of_packs + threadIdx.x) * count;
    if (column >= columns) return;
    typename F::template Loaded<count> loaded[rows_per_thread] = {};
#pragma unroll
    for (int i = 0; i < rows_per_thread; ++i) {
        const std::int64_t row = first + i * rows_of_packs;
        if (row < rows) loaded[i] = f.template load<count>(row, column);
    }
#pragma unroll
    for (int i = 0; i < rows_per_thread; ++i) {
        const std::int64_t row = first + i * rows_of_packs;
        if (row < rows) f.template store<count>(row, column, loaded[i]);
    }
}

template <int count, class F>
void launch_each_pack(const F& f, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
    constexpr std::int64_t rows_of_block = rows_per_thread * rows_of_packs;
    constexpr std::int64_t strip = lanes_of_packs * count;
    const std::int64_t strips = (columns + strip - 1) / strip;
    const std::int64_t blocks = strips * ((rows + rows_of_block - 1) / rows_of_block);
    launch(each_pack<count, F>,
           {dim3(static_cast<unsigned>(blocks)), dim3(lanes_of_packs, rows_of_packs)}, stream, f,
           rows, columns, static_cast<unsigned>(strips));
}

}  // namespace detail

/// Calls f.store<n>(row, column, f.load<n>(row, column)) for the n columns from `column` of each
/// row, all of a (rows, columns) matrix, in any order: loads of one pack may come before or after
/// the stores of others. n is `count` where everything is `aligned` to packs of so many, else 1. f
/// is copied to the device; F::Loaded<n> is what load<n>() returns.
template <int count, class F>
void for_each_pack(cudaStream_t stream, const F& f, std::int64_t rows, std::int64_t columns,
                   bool aligned) {
    if (rows == 0 || columns == 0) return;
    if (aligned && columns % count == 0) {
        detail::launch_each_pack<count>(f, rows, columns, stream);
    } else {
        detail::launch_each_pack<1>(f, rows, columns, stream);
    }
}

/// Whether the rows of a matrix can be read in packs of `count`.
template <int count, class AnyMatrix>
bool has_packs(const AnyMatrix& matrix) {
    constexpr std::size_t element_bytes = sizeof(*matrix.data);
    return are_aligned(count * element_bytes, matrix.data,
                       static_cast<std::size_t>(matrix.leading) * element_bytes);
}

}  // namespace shardstone::device
