// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace shardstone {

/// A view of a row-major matrix: element (r, c) lies at data[r * leading + c], leading >= columns.
/// Owns nothing.
template <class T>
struct Matrix {
    T* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t leading = 0;

    T* row(std::int64_t r) const { return data + r * leading; }
    operator Matrix<const T>() const { return {data, rows, columns, leading}; }
};

/// A contiguous (rows, columns) view.
template <class T>
Matrix<T> matrix(T* data, std::int64_t rows, std::int64_t columns) {
    return {data, rows, columns, columns};
}

}  // namespace shardstone
