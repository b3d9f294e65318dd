// SPDX-License-Identifier: BSD-3-Clause
// Products too small for a library, whose call and packing would cost as much: tiles of C stay in
// registers while columns of A and rows of B stream through (Goto and van de Geijn 2008, "Anatomy
// of High-Performance Matrix Multiplication"). The caller packs B, once for all products with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/base/vector.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

/// A tile is at most `rows` x `columns` elements of Real: as many sums as possible while leaving
/// registers for a row of B and an element of A.
template <class Real>
struct RegisterTile {
    static constexpr std::int64_t rows = 6;
    static constexpr std::int64_t vectors = vector_bytes == 64 ? 4 : 2;  // for 32 and 16 registers
    static constexpr std::int64_t lanes = vector_bytes / static_cast<std::int64_t>(sizeof(Real));
    static constexpr std::int64_t columns = vectors * lanes;

    /// `count` rounded up to whole vectors, or to whole tiles.
    static constexpr std::int64_t whole_vectors(std::int64_t count) {
        return (count + lanes - 1) / lanes * lanes;
    }
    static constexpr std::int64_t padded(std::int64_t count) {
        return (count + columns - 1) / columns * columns;
    }
};

/// A factor B (depth, columns) in panels: panel j is row-major (depth, RegisterTile::columns) and
/// holds columns from j RegisterTile::columns on, padded with zeros after the last. Non-owning.
template <class Real>
struct Panels {
    using Tile = RegisterTile<std::remove_const_t<Real>>;

    Real* data;
    std::int64_t depth;
    std::int64_t columns;

    static std::int64_t elements(std::int64_t depth, std::int64_t columns) {
        return depth * Tile::padded(columns);
    }
    std::int64_t count() const { return Tile::padded(columns) / Tile::columns; }
    /// Row k of panel j; the rows after it follow.
    Real* at(std::int64_t j, std::int64_t k) const {
        return data + (j * depth + k) * Tile::columns;
    }
    std::int64_t columns_of(std::int64_t j) const {
        return std::min(Tile::columns, columns - j * Tile::columns);
    }
};

/// B = `from`, or `from` transposed; B's shape determines the rows and columns packed.
template <class Real>
void pack(const Matrix<const Real>& from, const Panels<Real>& b);
template <class Real>
void pack_transposed(const Matrix<const Real>& from, const Panels<Real>& b);

/// The A of a tile: element (r, k) lies at data[r * row_stride + k * depth_stride].
template <class Real>
struct TileRows {
    const Real* data;
    std::int64_t row_stride;
    std::int64_t depth_stride;
};

/// C = alpha A B, or C += alpha A B: C has at most RegisterTile::rows rows and
/// RegisterTile::columns columns; `panel` points to the first of `depth` rows of a panel. Each
/// element is summed in the order of the depth, with fused multiply-adds if the processor has them.
template <class Real>
void multiply_tile(Real alpha, const TileRows<Real>& a, std::int64_t depth, const Real* panel,
                   bool add, const Matrix<Real>& c);

}  // namespace shardstone
