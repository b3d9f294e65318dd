// SPDX-License-Identifier: BSD-3-Clause
// The products of one attention head, in register tiles, over the pairs of query and key that are
// not masked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/gemm/register_tile.hpp"

namespace shardstone::causal {

template <class Real>
using Tile = RegisterTile<Real>;

/// Queries per block, whole tiles: enough that most of them read a tile of keys from the L1 cache,
/// few enough that their scores stay there with it.
inline constexpr std::int64_t queries_per_block = 8 * Tile<float>::rows;
static_assert(queries_per_block % Tile<double>::rows == 0);

/// Keys multiplied with all queries of a block before the next ones.
inline constexpr std::int64_t keys_per_piece = 64;

/// Upper bound of the columns taken by take_panels() or take_scores() for `count`: whole panels of
/// the maximum width, so that a model's memory does not depend on the processor.
inline std::int64_t padded_columns(std::int64_t count) {
    constexpr std::int64_t widest = 64;
    static_assert(widest % Tile<float>::columns == 0 && widest % Tile<double>::columns == 0);
    return (count + widest - 1) / widest * widest;
}

/// One block of queries of one head of one sequence: queries [begin, end). Query t sees the keys
/// [0, t], or all `keys` if they precede every query.
struct Block {
    std::int64_t begin, end;
    std::int64_t keys;  ///< that any query of the block sees
    bool sees_all = false;

    std::int64_t queries() const { return end - begin; }
    std::int64_t visible(std::int64_t row) const { return sees_all ? keys : begin + row + 1; }
    /// The first query, counted within the block, that sees a key.
    std::int64_t first_query(std::int64_t key) const {
        return sees_all ? 0 : std::max<std::int64_t>(0, key - begin);
    }
};

inline std::int64_t block_count(std::int64_t sequence) {
    return (sequence + queries_per_block - 1) / queries_per_block;
}

inline Block block_at(std::int64_t index, std::int64_t sequence) {
    const std::int64_t begin = index * queries_per_block;
    const std::int64_t end = std::min(begin + queries_per_block, sequence);
    return {begin, end, end};
}

/// Likewise, for queries that see all of this many keys.
inline Block block_before(std::int64_t index, std::int64_t queries, std::int64_t keys) {
    const Block block = block_at(index, queries);
    return {block.begin, block.end, keys, true};
}

/// Scratch memory, handed out piece by piece.
template <class Real>
class Arena {
  public:
    explicit Arena(Real* begin) : next_(begin) {}
    Matrix<Real> take(std::int64_t rows, std::int64_t columns) {
        const auto taken = matrix(next_, rows, columns);
        next_ += rows * columns;
        return taken;
    }

  private:
    Real* next_;
};

template <class Real>
Matrix<Real> rows(Matrix<Real> m, std::int64_t begin, std::int64_t end) {
    return {m.row(begin), end - begin, m.columns, m.leading};
}

template <class Real>
Panels<Real> take_panels(Arena<Real>& arena, std::int64_t depth, std::int64_t columns) {
    return {arena.take(1, Panels<Real>::elements(depth, columns)).data, depth, columns};
}

/// (T, D), as the second factor of a product.
template <class Real>
Panels<const Real> packed(const Matrix<const Real>& from, Arena<Real>& arena) {
    const auto to = take_panels(arena, from.rows, from.columns);
    pack(from, to);
    return {to.data, to.depth, to.columns};
}
template <class Real>
Panels<const Real> packed_transposed(const Matrix<const Real>& from, Arena<Real>& arena) {
    const auto to = take_panels(arena, from.columns, from.rows);
    pack_transposed(from, to);
    return {to.data, to.depth, to.columns};
}

template <class Real>
TileRows<Real> as_tile(const Matrix<const Real>& m) {
    return {m.data, m.leading, 1};
}

template <class Real>
Matrix<Real> part(const Matrix<Real>& m, std::int64_t row, std::int64_t row_count,
                  std::int64_t column, std::int64_t column_count) {
    return {m.row(row) + column, row_count, column_count, m.leading};
}

/// f(first row, rows) for the tiles of `count` rows.
template <class Real, class F>
void for_each_tile(std::int64_t count, const F& f) {
    for (std::int64_t r = 0; r < count; r += Tile<Real>::rows) {
        f(r, std::min(Tile<Real>::rows, count - r));
    }
}

/// s (queries, keys) = alpha A K^T, where a query sees the key; unspecified elsewhere. The columns
/// of s are whole panels.
template <class Real>
void visible_products(Real alpha, const Block& block, const Matrix<const Real>& a,
                      const Panels<const Real>& keys, const Matrix<Real>& s) {
    for (std::int64_t j = 0; j * Tile<Real>::columns < block.keys; ++j) {
        const std::int64_t key = j * Tile<Real>::columns;
        for_each_tile<Real>(a.rows, [&](std::int64_t r, std::int64_t count) {
            const std::int64_t seen = block.visible(r + count - 1) - key;
            if (seen <= 0) return;
            multiply_tile<Real>(
                alpha, as_tile(rows(a, r, r + count)), keys.depth, keys.at(j, 0), false,
                part(s, r, count, key,
                     std::min(Tile<Real>::whole_vectors(seen), Tile<Real>::columns)));
        });
    }
}

/// out (queries, D) = alpha P V, or added to it, over the keys that a tile of queries sees.
template <class Real>
void weighted_sum(Real alpha, const Block& block, const Matrix<Real>& p,
                  const Panels<const Real>& values, bool add, const Matrix<Real>& out) {
    for (std::int64_t j = 0; j < values.count(); ++j) {
        const std::int64_t channel = j * Tile<Real>::columns;
        for (std::int64_t key = 0; key < block.keys; key += keys_per_piece) {
            for_each_tile<Real>(out.rows, [&](std::int64_t r, std::int64_t count) {
                const std::int64_t seen = block.visible(r + count - 1) - key;
                if (seen <= 0) return;
                multiply_tile<Real>(alpha, {p.row(r) + key, p.leading, 1},
                                    std::min(seen, keys_per_piece), values.at(j, key),
                                    add || key > 0,
                                    part(out, r, count, channel, values.columns_of(j)));
            });
        }
    }
}

/// out (keys, D) = alpha P^T B, or added to it, over the queries of the block that see a tile of
/// keys; `b` holds all queries.
template <class Real>
void add_transposed(Real alpha, const Block& block, const Matrix<Real>& p,
                    const Panels<const Real>& b, bool add, const Matrix<Real>& out) {
    for (std::int64_t j = 0; j < b.count(); ++j) {
        for_each_tile<Real>(block.keys, [&](std::int64_t key, std::int64_t count) {
            const std::int64_t first = block.first_query(key);
            multiply_tile<Real>(alpha, {p.row(first) + key, 1, p.leading}, block.queries() - first,
                                b.at(j, block.begin + first), add,
                                part(out, key, count, j * Tile<Real>::columns, b.columns_of(j)));
        });
    }
}

/// A block's scores, in whole panels.
template <class Real>
Matrix<Real> take_scores(const Block& block, Arena<Real>& arena) {
    return arena.take(block.queries(), Tile<Real>::padded(block.keys));
}

}  // namespace shardstone::causal
