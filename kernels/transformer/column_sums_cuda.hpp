// SPDX-License-Identifier: BSD-3-Clause
// Sums over all rows of a matrix on the GPU, column by column, in an order that depends on nothing
// but the shape: rows are dealt out to at most 128 chunks, a chunk's to 8 threads in turn; the sums
// of the threads are added in order, then those of the chunks (16 threads in turn, these in order),
// and last what was there before. For the kernels' own sources (*.cu).
#pragma once

#include <algorithm>

#include "kernels/base/device/elements.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/scratch.hpp"

namespace shardstone::device {

/// How a matrix is divided: strips of 32 packs of columns times chunks of rows.
struct ColumnChunks {
    static constexpr int lanes = 32, threads_per_chunk = 8;
    static constexpr std::int64_t most_chunks = 128, fewest_rows = 64;

    std::int64_t rows, columns, rows_per_chunk, chunks;

    ColumnChunks(std::int64_t of_rows, std::int64_t of_columns)
        : rows(of_rows),
          columns(of_columns),
          rows_per_chunk(std::max(fewest_rows, (rows + most_chunks - 1) / most_chunks)),
          chunks((rows + rows_per_chunk - 1) / rows_per_chunk) {}

    std::int64_t strips(int count) const { return (columns + lanes * count - 1) / (lanes * count); }
};

/// Where the sums are added to.
template <int sums>
struct ColumnTargets {
    float* of[sums];
};

/// What a block has summed, its threads and lanes last so that none wait for another's bank.
template <int values>
struct ThreadSums {
    float value[ColumnChunks::threads_per_chunk][values][ColumnChunks::lanes];
};

/// Writes the sums of one chunk to partial (chunks, sums, strips, count, lanes).
template <int count, class F>
__global__ void __launch_bounds__(256) sum_chunks(F f, ColumnChunks of, float* partial) {
    constexpr int rows_ahead = 4, step = ColumnChunks::threads_per_chunk;
    constexpr int values = F::sums * count, lanes = ColumnChunks::lanes;
    const std::int64_t column =
        (static_cast<std::int64_t>(blockIdx.x) * lanes + threadIdx.x) * count;
    const std::int64_t first = blockIdx.y * of.rows_per_chunk;
    const std::int64_t end =
        first + of.rows_per_chunk < of.rows ? first + of.rows_per_chunk : of.rows;
    float sum[values] = {};
    if (column < of.columns) {
        std::int64_t row = first + threadIdx.y;
        for (; row + (rows_ahead - 1) * step < end; row += rows_ahead * step) {
            typename F::template Loaded<count> loaded[rows_ahead];
#pragma unroll
            for (int i = 0; i < rows_ahead; ++i) {
                loaded[i] = f.template load<count>(row + i * step, column);
            }
#pragma unroll
            for (int i = 0; i < rows_ahead; ++i) f.template add<count>(loaded[i], sum);
        }
        for (; row < end; row += step) {
            f.template add<count>(f.template load<count>(row, column), sum);
        }
    }
    SHARDSTONE_SHARED(ThreadSums<values>, all);
#pragma unroll
    for (int i = 0; i < values; ++i) all.value[threadIdx.y][i][threadIdx.x] = sum[i];
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.y); i < values; i += step) {
        float total = 0.0F;
#pragma unroll
        for (int thread = 0; thread < step; ++thread) total += all.value[thread][i][threadIdx.x];
        const std::int64_t at = (blockIdx.y * F::sums + i / count) * gridDim.x + blockIdx.x;
        partial[(at * count + i % count) * lanes + threadIdx.x] = total;
    }
}

inline constexpr int threads_over_chunks = 16;

/// Adds the chunks' sums up: a block has the columns (strip, blockIdx.x % count, all lanes).
template <int count, int sums>
__global__ void sum_up(const float* partial, std::int64_t chunks, std::int64_t columns,
                       ColumnTargets<sums> to) {
    constexpr int lanes = ColumnChunks::lanes;
    struct Sums {
        float value[threads_over_chunks][lanes];
    };
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * lanes;
    const float* mine =
        partial + blockIdx.y * stride + static_cast<std::int64_t>(blockIdx.x) * lanes + threadIdx.x;
    float sum = 0.0F;
#pragma unroll 8
    for (std::int64_t chunk = threadIdx.y; chunk < chunks; chunk += threads_over_chunks) {
        sum += mine[chunk * sums * stride];
    }
    SHARDSTONE_SHARED(Sums, all);
    all.value[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    const std::int64_t column =
        (static_cast<std::int64_t>(blockIdx.x / count) * lanes + threadIdx.x) * count +
        blockIdx.x % count;
    if (threadIdx.y != 0 || column >= columns) return;
    for (int thread = 1; thread < threads_over_chunks; ++thread) {
        sum += all.value[thread][threadIdx.x];
    }
    to.of[blockIdx.y][column] += sum;
}

namespace detail {

template <int count, class F>
void add_column_sums(CudaQueue queue, const F& f, const ColumnChunks& of,
                     const ColumnTargets<F::sums>& to) {
    const std::int64_t strips = of.strips(count);
    const auto blocks = static_cast<unsigned>(strips);
    float* partial = scratch(queue, of.chunks * F::sums * strips * count * ColumnChunks::lanes);
    launch(sum_chunks<count, F>,
           {dim3(blocks, static_cast<unsigned>(of.chunks)),
            dim3(ColumnChunks::lanes, ColumnChunks::threads_per_chunk)},
           queue.stream(), f, of, partial);
    launch(sum_up<count, F::sums>,
           {dim3(blocks * count, F::sums), dim3(ColumnChunks::lanes, threads_over_chunks)},
           queue.stream(), partial, of.chunks, of.columns, to);
}

}  // namespace detail

/// to.of[s] (columns) += the sums over all rows: f.add<n>(f.load<n>(row, column), sum) adds what
/// the n columns from `column` of a row have to sum[s * n + i]. n is `count` where everything is
/// `aligned` to packs of so many, else 1.
template <int count, class F>
void add_column_sums(CudaQueue queue, const F& f, std::int64_t rows, std::int64_t columns,
                     bool aligned, const ColumnTargets<F::sums>& to) {
    if (rows == 0 || columns == 0) return;
    const ColumnChunks of(rows, columns);
    if (aligned && columns % count == 0) {
        detail::add_column_sums<count>(queue, f, of, to);
    } else {
        detail::add_column_sums<1>(queue, f, of, to);
    }
}

}  // namespace shardstone::device
