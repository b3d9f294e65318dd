// SPDX-License-Identifier: BSD-3-Clause
// What the attention kernels of the GPU share: their inputs, the order of their blocks, and tiles
// of a head's rows in shared memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "kernels/base/device/elements.hpp"
#include "kernels/base/device/matrix_unit.hpp"
#include "kernels/base/error.hpp"
#include "kernels/transformer/attention.hpp"
#include "kernels/transformer/attention_blocks.hpp"
#include "kernels/transformer/partial_attention.hpp"

namespace shardstone::device {

/// Queries and the keys that they see; whole attention has as many keys as queries.
template <class S>
struct AttentionInputs {
    PieceRows<const S> q, k, v;
    int batch, heads, head_size;
    int queries, keys;
    bool causal;  ///< query t sees keys 0 to t, else all of them

    /// Scores are multiplied by this and then raised as powers of 2.
    float scale_log2() const {
        return static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_size)) *
                                  1.4426950408889634);
    }
};

/// Whole attention's tensor of rows (B, T, columns).
template <class T>
PieceRows<T> rows_of(const AttentionShape& shape, T* rows, std::int64_t columns) {
    return {rows, columns, shape.sequence * columns};
}
template <class S>
AttentionInputs<S> inputs_of(const AttentionShape& shape, const S* qkv) {
    const std::int64_t channels = shape.channels();
    const auto part = [&](std::int64_t which) {
        return rows_of(shape, qkv + which * channels, 3 * channels);
    };
    const auto number = [](std::int64_t n) { return static_cast<int>(n); };
    return {part(0),
            part(1),
            part(2),
            number(shape.batch),
            number(shape.heads),
            number(shape.head_size),
            number(shape.sequence),
            number(shape.sequence),
            true};
}
template <class S>
AttentionInputs<S> inputs_of(const PartialAttentionShape& shape, PieceRows<const S> q,
                             PieceRows<const S> k, PieceRows<const S> v) {
    const auto number = [](std::int64_t n) { return static_cast<int>(n); };
    return {q,
            k,
            v,
            number(shape.batch),
            number(shape.heads),
            number(shape.head_size),
            number(shape.queries),
            number(shape.keys),
            shape.causal};
}

inline constexpr float natural_log_of_2 = 0.69314718055994531F;
inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// The head sizes that kernels are compiled for; others are filled up with zeros.
inline int padded_head_size(int head_size) {
    for (const int size : {16, 32, 64, 128}) {
        if (head_size <= size) return size;
    }
    fail("attention on a GPU has heads of at most 128 channels, not " + std::to_string(head_size));
}

template <class T>
bool are_aligned(std::size_t bytes, const PieceRows<T>& rows) {
    return are_aligned(bytes, rows.data, sizeof(T) * rows.leading) &&
           sizeof(T) * rows.per_sequence % bytes == 0;
}

/// Whether the inputs' rows can be read as fragments of the matrix unit, 16 channels at a time.
/// Then values lie as keys do, at a fixed distance.
template <class S>
bool fit_matrix_unit(const AttentionInputs<S>& in) {
    return is_narrow<S> && in.head_size % 16 == 0 && are_aligned(16, in.q) &&
           are_aligned(16, in.k) && are_aligned(16, in.v) && in.k.leading == in.v.leading &&
           in.k.per_sequence == in.v.per_sequence;
}

inline dim3 grid_of(const AttentionBlocks& blocks) {
    return dim3(static_cast<unsigned>(blocks.tiles) * static_cast<unsigned>(blocks.heads));
}

/// First row of a head: `place.head` counts over all sequences.
template <class T>
__device__ inline T* head_rows(const PieceRows<T>& rows, int head, int heads, int head_size) {
    return rows.data + head / heads * rows.per_sequence +
           static_cast<std::int64_t>(head % heads) * head_size;
}

// Tiles of rows of `size` 16-bit elements for the matrix unit. A row's pieces of 16 B are permuted
// so that the same piece of 8 consecutive rows, which is what ldmatrix reads at once, lies in all
// banks.

/// Index of piece `piece` of row `row`, in elements.
template <int size>
__device__ __forceinline__ int tile_index(int row, int piece) {
    constexpr int pieces = size / 8;
    constexpr int rows_in_banks = pieces < 8 ? 8 / pieces : 1;
    constexpr int mask = pieces < 8 ? pieces - 1 : 7;
    return row * size + ((piece ^ (row / rows_in_banks & mask)) * 8);
}

/// Copies tiles (rows, size) of consecutive rows by a block of so many threads; holds little, for
/// registers are scarce where it is used.
template <int size, int threads, class S>
class TileCopier {
    static constexpr int pieces = size / 8, step = threads / pieces;  // rows at a time
    static_assert(step % 8 == 0);                                     // the permutation repeats

  public:
    /// What is right of column `head_size` is not read.
    __device__ __forceinline__ TileCopier(const S* rows, std::int64_t leading, int head_size)
        : from_(rows + row() * leading + piece() * 8),
          first_row_(piece() * 8 < head_size ? row() : std::numeric_limits<int>::max()) {}

    /// Starts to copy a tile, `distance` elements further on; zeros below row `there` and right of
    /// `head_size`.
    template <int rows>
    __device__ __forceinline__ void start(S* to, std::int64_t leading, int there,
                                          std::int64_t distance = 0) const {
        static_assert(rows % step == 0);
        const int left = there - first_row_;
        const S* from = from_ + distance;
        to += tile_index<size>(row(), piece());
#pragma unroll
        for (int i = 0; i < rows; i += step) {
            copy_async_16_if(i < left, to + i * size, from);
            from += step * leading;
        }
    }
    __device__ __forceinline__ void advance(std::int64_t elements) {
        from_ += elements;
    }

  private:
    __device__ static int row() {
        return static_cast<int>(threadIdx.x / pieces);
    }
    __device__ static int piece() {
        return static_cast<int>(threadIdx.x % pieces);
    }

    const S* from_;
    int first_row_;
};

/// Of a single tile.
template <int size, int rows, int threads, class S>
__device__ __forceinline__ void copy_tile_async(S* to, const S* from, std::int64_t leading,
                                                int there, int head_size) {
    TileCopier<size, threads, S>(from, leading, head_size).template start<rows>(to, leading, there);
}

// Fragments (matrix_unit.hpp) of such tiles, of a whole warp.

/// A (16, 16): rows from `row`, columns from 16 `step`.
template <int size, class S>
__device__ __forceinline__ void load_rows_as_a(unsigned (&a)[4], const S* tile, int row, int step) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    load_matrices(a, tile + tile_index<size>(row + lane % 16, 2 * step + lane / 16));
}

/// B (16, 16), as two of (16, 8), of the transposed tile: B's columns are the rows from `row`, B's
/// rows are the columns from 16 `step`.
template <int size, class S>
__device__ __forceinline__ void load_rows_as_b(unsigned (&b)[2][2], const S* tile, int row,
                                               int step) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    unsigned loaded[4];
    load_matrices(loaded,
                  tile + tile_index<size>(row + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
    b[0][0] = loaded[0], b[0][1] = loaded[1], b[1][0] = loaded[2], b[1][1] = loaded[3];
}

/// B (16, 16), as two of (16, 8): rows from `row`, columns from 16 `step`.
template <int size, class S>
__device__ __forceinline__ void load_columns_as_b(unsigned (&b)[2][2], const S* tile, int row,
                                                  int step) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    unsigned loaded[4];
    load_matrices_transposed(loaded,
                             tile + tile_index<size>(row + lane % 16, 2 * step + lane / 16));
    b[0][0] = loaded[0], b[0][1] = loaded[1], b[1][0] = loaded[2], b[1][1] = loaded[3];
}

/// A (16, 16) in S from what two products (16, 8) side by side gave.
template <class S>
__device__ __forceinline__ void narrowed_as_a(unsigned (&a)[4], const float (&left)[4],
                                              const float (&right)[4]) {
    a[0] = narrowed_pair<S>(left[0], left[1]);
    a[1] = narrowed_pair<S>(left[2], left[3]);
    a[2] = narrowed_pair<S>(right[0], right[1]);
    a[3] = narrowed_pair<S>(right[2], right[3]);
}

// Tiles in FP32, for arithmetic without a matrix unit. Rows are 16 B longer than they need to be,
// so that the same column of 8 consecutive rows lies in all banks.

template <int size>
inline constexpr int plain_leading = size + 4;

/// Loads a tile (rows, size); zeros below row `there` and right of `head_size`.
template <int size, int rows, int threads, class S>
__device__ inline void load_plain_tile(float* to, const S* from, std::int64_t leading, int there,
                                       int head_size) {
    static_assert(rows * size % threads == 0);
    for (int i = static_cast<int>(threadIdx.x); i < rows * size; i += threads) {
        const int row = i / size, column = i % size;
        const bool inside = row < there && column < head_size;
        to[row * plain_leading<size> + column] =
            inside ? widened(from[row * leading + column]) : 0.0F;
    }
}

}  // namespace shardstone::device
