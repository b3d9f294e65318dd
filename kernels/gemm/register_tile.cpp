// SPDX-License-Identifier: BSD-3-Clause
// Compiled with -ffp-contract=fast (kernels/CMakeLists.txt): every product goes into a sum.
#include "kernels/gemm/register_tile.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone {

namespace {

template <class Real>
constexpr std::int64_t lanes = RegisterTile<Real>::lanes;

template <class Real>
Vector<Real> load(const Real* from) {
    Vector<Real> vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
}

template <class Real>
void store_vector(const Vector<Real>& vector, Real* to) {
    std::memcpy(to, &vector, sizeof vector);
}

/// A row of C while it is summed.
template <class Real, std::size_t vectors>
using Sums = std::array<Vector<Real>, vectors>;

template <class Real, std::size_t vectors>
void write_row(Real alpha, const Sums<Real, vectors>& sums, bool add, Real* to) {
#pragma GCC unroll 4
    for (const Vector<Real>& sum : sums) {
        const Vector<Real> product = sum * alpha;
        store_vector(add ? load(to) + product : product, to);
        to += lanes<Real>;
    }
}

/// A row that does not fill its last vector, by way of a whole one.
template <class Real, std::size_t vectors>
void write_part(Real alpha, const Sums<Real, vectors>& sums, bool add, Real* to,
                std::int64_t columns) {
    std::array<Real, vectors* static_cast<std::size_t>(lanes<Real>)> row{};
    if (add) std::copy_n(to, columns, row.begin());
    write_row(alpha, sums, add, row.data());
    std::copy_n(row.begin(), columns, to);
}

template <class Real, std::size_t rows, std::size_t vectors>
void multiply(Real alpha, const TileRows<Real>& a, std::int64_t depth, const Real* panel, bool add,
              const Matrix<Real>& c) {
    std::array<Sums<Real, vectors>, rows> sums{};
    const Real* column = a.data;
    for (std::int64_t k = 0; k < depth; ++k) {
        Sums<Real, vectors> b;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < vectors; ++v) {
            b[v] = load(panel + v * static_cast<std::size_t>(lanes<Real>));
        }
#pragma GCC unroll 6
        for (std::size_t r = 0; r < rows; ++r) {
            const Real element = column[static_cast<std::int64_t>(r) * a.row_stride];
#pragma GCC unroll 4
            for (std::size_t v = 0; v < vectors; ++v) sums[r][v] += element * b[v];
        }
        column += a.depth_stride;
        panel += RegisterTile<Real>::columns;
    }
    const bool whole = c.columns == static_cast<std::int64_t>(vectors) * lanes<Real>;
#pragma GCC unroll 6
    for (std::size_t r = 0; r < rows; ++r) {
        Real* to = c.row(static_cast<std::int64_t>(r));
        if (whole) {
            write_row(alpha, sums[r], add, to);
        } else {
            write_part(alpha, sums[r], add, to, c.columns);
        }
    }
}

template <class Real>
using Multiply = void (*)(Real, const TileRows<Real>&, std::int64_t, const Real*, bool,
                          const Matrix<Real>&);

constexpr auto most_vectors = static_cast<std::size_t>(RegisterTile<float>::vectors);

/// Entry i multiplies i / most_vectors + 1 rows and i % most_vectors + 1 vectors.
template <class Real, std::size_t... i>
constexpr auto by_shape(std::index_sequence<i...>) {
    return std::array<Multiply<Real>, sizeof...(i)>{
        multiply<Real, i / most_vectors + 1, i % most_vectors + 1>...};
}

/// Swaps, in every pair of groups of 2 `distance` elements of a and b, a's second half with b's
/// first.
template <std::size_t distance, class Real, std::size_t... lane>
void swap_halves(Vector<Real>& a, Vector<Real>& b, std::index_sequence<lane...>) {
    constexpr std::size_t count = sizeof...(lane);
    const Vector<Real> first =
        __builtin_shufflevector(a, b, ((lane & distance) != 0 ? lane - distance + count : lane)...);
    b = __builtin_shufflevector(a, b, ((lane & distance) != 0 ? lane + count : lane + distance)...);
    a = first;
}

/// The transpose of as many rows as a vector has lanes, by halves: first pairs of rows that are
/// half the rows apart, then a quarter, ... (Eklundh 1972, "A Fast Computer Method for Matrix
/// Transposing").
template <std::size_t distance, class Real, std::size_t count>
void transpose_in_place(std::array<Vector<Real>, count>& rows) {
    if constexpr (distance > 0) {
#pragma GCC unroll 16
        for (std::size_t r = 0; r < count; ++r) {
            if ((r & distance) == 0) {
                swap_halves<distance, Real>(rows[r], rows[r + distance],
                                            std::make_index_sequence<count>{});
            }
        }
        transpose_in_place<distance / 2, Real>(rows);
    }
}

/// The transpose of lanes x lanes elements, `leading` apart, to rows of a panel.
template <class Real>
void transpose_square(const Real* from, std::int64_t leading, Real* to) {
    constexpr auto count = static_cast<std::size_t>(lanes<Real>);
    std::array<Vector<Real>, count> rows;
#pragma GCC unroll 16
    for (Vector<Real>& row : rows) {
        row = load(from);
        from += leading;
    }
    transpose_in_place<count / 2, Real>(rows);
#pragma GCC unroll 16
    for (const Vector<Real>& row : rows) {
        store_vector(row, to);
        to += RegisterTile<Real>::columns;
    }
}

/// Of fewer elements, with zeros behind the last of `from`'s rows.
template <class Real>
void transpose_part(const Matrix<const Real>& from, Real* to) {
    for (std::int64_t k = 0; k < from.columns; ++k, to += RegisterTile<Real>::columns) {
        for (std::int64_t c = 0; c < lanes<Real>; ++c) {
            to[c] = c < from.rows ? from.row(c)[k] : Real(0);
        }
    }
}

}  // namespace

template <class Real>
void multiply_tile(Real alpha, const TileRows<Real>& a, std::int64_t depth, const Real* panel,
                   bool add, const Matrix<Real>& c) {
    using Tile = RegisterTile<Real>;
    static constexpr auto shapes =
        by_shape<Real>(std::make_index_sequence<Tile::rows * Tile::vectors>{});
    SHARDSTONE_EXPECTS(c.rows > 0 && c.rows <= Tile::rows && c.columns > 0 &&
                       c.columns <= Tile::columns);
    const std::int64_t vectors = Tile::whole_vectors(c.columns) / lanes<Real>;
    shapes[static_cast<std::size_t>((c.rows - 1) * Tile::vectors + vectors - 1)](alpha, a, depth,
                                                                                 panel, add, c);
}

template <class Real>
void pack(const Matrix<const Real>& from, const Panels<Real>& b) {
    SHARDSTONE_EXPECTS(from.rows == b.depth && from.columns == b.columns);
    constexpr std::int64_t width = RegisterTile<Real>::columns;
    for (std::int64_t j = 0; j < b.count(); ++j) {
        const std::int64_t columns = b.columns_of(j);
        for (std::int64_t k = 0; k < b.depth; ++k) {
            Real* to = b.at(j, k);
            std::copy_n(from.row(k) + j * width, columns, to);
            std::fill(to + columns, to + width, Real(0));
        }
    }
}

template <class Real>
void pack_transposed(const Matrix<const Real>& from, const Panels<Real>& b) {
    SHARDSTONE_EXPECTS(from.columns == b.depth && from.rows == b.columns);
    constexpr std::int64_t step = lanes<Real>;
    for (std::int64_t j = 0; j < b.count(); ++j) {
        const std::int64_t first = j * RegisterTile<Real>::columns;
        for (std::int64_t c = 0; c < RegisterTile<Real>::columns; c += step) {
            const std::int64_t there = std::clamp<std::int64_t>(from.rows - first - c, 0, step);
            for (std::int64_t k = 0; k < b.depth; k += step) {
                const Real* square = from.row(first + c) + k;
                const std::int64_t deep = std::min(step, b.depth - k);
                if (there == step && deep == step) {
                    transpose_square(square, from.leading, b.at(j, k) + c);
                } else {
                    transpose_part<Real>({square, there, deep, from.leading}, b.at(j, k) + c);
                }
            }
        }
    }
}

#define SHARDSTONE_INSTANTIATE(Real)                                                          \
    template void multiply_tile(Real, const TileRows<Real>&, std::int64_t, const Real*, bool, \
                                const Matrix<Real>&);                                         \
    template void pack(const Matrix<const Real>&, const Panels<Real>&);                       \
    template void pack_transposed(const Matrix<const Real>&, const Panels<Real>&);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
