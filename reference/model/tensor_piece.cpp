// SPDX-License-Identifier: BSD-3-Clause
// Locates the contiguous pieces of a tensor shard in the whole tensor.
#include "reference/model/tensor_piece.hpp"

namespace shardstone::reference {

namespace {

/// Appends the elements [global, global + count) of the whole tensor.
void append(std::vector<TensorPiece>& pieces, std::int64_t global, std::int64_t count) {
    if (count == 0) return;
    if (pieces.empty()) {
        pieces.push_back({0, global, count});
        return;
    }
    TensorPiece& last = pieces.back();
    if (last.global + last.count == global) {
        last.count += count;
    } else {
        pieces.push_back({last.local + last.count, global, count});
    }
}

}  // namespace

std::vector<TensorPiece> pieces_of(const TensorCut& cut, std::int64_t columns) {
    std::vector<TensorPiece> pieces;
    for (const EvenShare& rows : cut.rows) {
        for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            append(pieces, row * columns + cut.columns.first, cut.columns.count);
        }
    }
    return pieces;
}

}  // namespace shardstone::reference
