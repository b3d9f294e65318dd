// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/tensor/host.hpp"

namespace shardstone {

/// A view of a row-major matrix in a memory space (host.hpp): element (r, c) lies at
/// data[r * leading + c], leading >= columns. Non-owning.
template <class T, class Space = Host>
struct Matrix {
    T* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t leading = 0;

    constexpr T* row(std::int64_t r) const { return data + r * leading; }
    Matrix rows_from(std::int64_t first, std::int64_t count) const {
        return {row(first), count, columns, leading};
    }
    Matrix columns_from(std::int64_t first, std::int64_t count) const {
        return {data + first, rows, count, leading};
    }
    /// To a Matrix of const T. A template, since nvcc warns of one that converts to its own type.
    template <class U>
    requires(std::is_same_v<U, const T> && !std::is_const_v<T>) operator Matrix<U, Space>() const {
        return {data, rows, columns, leading};
    }
};

/// A contiguous (rows, columns) view.
template <class Space = Host, class T>
Matrix<T, Space> matrix(T* data, std::int64_t rows, std::int64_t columns) {
    return {data, rows, columns, columns};
}

}  // namespace shardstone
