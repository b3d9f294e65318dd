// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a head's rows in shared memory, and a warp's products of them on the matrix unit.
#pragma once

#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/elements.hpp"
#include "kernels/base/device/matrix_unit.hpp"

namespace shardstone::device {

/// Rows of `columns` elements (16, 32, 64 or 128) in shared memory. A row's chunks of 16 B are
/// permuted, so that the same chunk of eight consecutive rows touches every bank once.
template <class S, int columns>
struct Tile {
    static constexpr int chunk = 8;  ///< elements of 16 B
    static constexpr int chunks = columns / chunk;
    static constexpr int elements(int rows) { return rows * columns; }

    S* data;

    __device__ S* at(int row, int number) const {
        constexpr int period = chunks < 8 ? chunks : 8;
        return data + row * columns + (number ^ (row / (8 / period) % period)) * chunk;
    }
};

/// Rows of a head in global memory: `count` of `head_size` elements.
template <class S>
struct HeadRows {
    const S* data;
    std::int64_t leading, count;
    int head_size;
};

/// Starts the copy of rows [first, first + rows) by all `threads` of a block: zeros beyond the
/// rows that there are, and beyond a head smaller than the tile.
template <int rows, int threads, class S, int columns>
__device__ inline void copy_rows_async(const HeadRows<S>& from, std::int64_t first,
                                       Tile<S, columns> to) {
    using T = Tile<S, columns>;
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < rows * T::chunks; i += threads) {
        const int row = i / T::chunks, number = i % T::chunks;
        const bool there = first + row < from.count && number * T::chunk < from.head_size;
        const S* const at = from.data + (first + row) * from.leading + number * T::chunk;
        copy_async_16_if(there, to.at(row, number), there ? at : from.data);
    }
}

__device__ inline int lane() {
    return static_cast<int>(threadIdx.x) % warp_size;
}

/// Rows of a tile as first factor of a warp's products: 16 at a time, read when they are needed.
template <class S, int columns>
struct FirstFactor {
    Tile<S, columns> tile;
    int first_row;

    __device__ void fragment(int tile_of_rows, int k, unsigned (&to)[4]) const {
        const int row = first_row + 16 * tile_of_rows + lane() % 16;
        load_matrices(to, tile.at(row, 2 * k + lane() / 16));
    }
};

/// The same, read once and held in registers.
template <class S, int columns, int row_tiles>
struct HeldFactor {
    unsigned held[row_tiles][columns / 16][4];

    __device__ explicit HeldFactor(const FirstFactor<S, columns>& from) {
#pragma unroll
        for (int r = 0; r < row_tiles; ++r) {
#pragma unroll
            for (int k = 0; k < columns / 16; ++k) from.fragment(r, k, held[r][k]);
        }
    }
    __device__ void fragment(int tile_of_rows, int k, unsigned (&to)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) to[i] = held[tile_of_rows][k][i];
    }
};

/// A warp's part of a product: 16 row_tiles rows, 8 column_tiles columns, as mma_m16n8k16() has it.
template <int row_tiles, int column_tiles>
using Product = float[row_tiles][column_tiles][4];

/// d += A B^T, B the rows of a tile from `first_row` on, one for each column of d.
template <int columns, class S, int row_tiles, int column_tiles, class Factor>
__device__ inline void multiply_rows(const Factor& a, Tile<S, columns> b, int first_row,
                                     Product<row_tiles, column_tiles>& d) {
#pragma unroll
    for (int k = 0; k < columns / 16; ++k) {
        unsigned rows[row_tiles][4];
#pragma unroll
        for (int r = 0; r < row_tiles; ++r) a.fragment(r, k, rows[r]);
#pragma unroll
        for (int n = 0; n < column_tiles; n += 2) {
            const int row = first_row + 8 * n + lane() / 16 * 8 + lane() % 8;
            unsigned both[4];
            load_matrices(both, b.at(row, 2 * k + lane() / 8 % 2));
            const unsigned left[2] = {both[0], both[1]}, right[2] = {both[2], both[3]};
#pragma unroll
            for (int r = 0; r < row_tiles; ++r) {
                mma_m16n8k16<S>(d[r][n], rows[r], left);
                mma_m16n8k16<S>(d[r][n + 1], rows[r], right);
            }
        }
    }
}

/// d += A B, B the rows of a tile from `first_row` on, one for each column of A.
template <class S, int columns, int row_tiles, int depth_tiles>
__device__ inline void multiply_columns(const unsigned (&a)[row_tiles][depth_tiles][4],
                                        Tile<S, columns> b, int first_row,
                                        Product<row_tiles, columns / 8>& d) {
#pragma unroll
    for (int k = 0; k < depth_tiles; ++k) {
#pragma unroll
        for (int n = 0; n < columns / 8; n += 2) {
            const int row = first_row + 16 * k + lane() / 8 % 2 * 8 + lane() % 8;
            unsigned both[4];
            load_matrices_transposed(both, b.at(row, n + lane() / 16));
            const unsigned left[2] = {both[0], both[1]}, right[2] = {both[2], both[3]};
#pragma unroll
            for (int r = 0; r < row_tiles; ++r) {
                mma_m16n8k16<S>(d[r][n], a[r][k], left);
                mma_m16n8k16<S>(d[r][n + 1], a[r][k], right);
            }
        }
    }
}

/// A product rounded to S as first factor of the next one.
template <class S, int row_tiles, int column_tiles>
__device__ inline void round_product(const Product<row_tiles, column_tiles>& from,
                                     unsigned (&to)[row_tiles][column_tiles / 2][4]) {
#pragma unroll
    for (int r = 0; r < row_tiles; ++r) {
#pragma unroll
        for (int n = 0; n < column_tiles; ++n) {
            const auto& d = from[r][n];
            to[r][n / 2][n % 2 * 2] = narrowed_pair<S>(d[0], d[1]);
            to[r][n / 2][n % 2 * 2 + 1] = narrowed_pair<S>(d[2], d[3]);
        }
    }
}

}  // namespace shardstone::device
