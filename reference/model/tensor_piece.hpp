// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/partition.hpp"

namespace shardstone::reference {

/// Consecutive elements of a local tensor that are also consecutive in the whole tensor.
struct TensorPiece {
    std::int64_t local = 0;   ///< first, from the local tensor's first element
    std::int64_t global = 0;  ///< first, in the whole tensor, row-major
    std::int64_t count = 0;
};

/// The part of a whole tensor that a rank holds: some rows, and of each of them some columns. A
/// vector has one column.
struct TensorCut {
    std::vector<EvenShare> rows;
    EvenShare columns;
};

/// The pieces of a cut through a tensor of `columns` columns, row by row, as few as possible.
std::vector<TensorPiece> pieces_of(const TensorCut& cut, std::int64_t columns);

}  // namespace shardstone::reference
