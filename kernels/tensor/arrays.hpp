// SPDX-License-Identifier: BSD-3-Clause
// Kernels on contiguous arrays that belong to no layer: clear, copy, add, scale.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

namespace detail {

void clear_bytes(HostQueue queue, void* to, std::int64_t count);
/// Rows of this many bytes, and the distances from one row to the next.
struct ByteRows {
    std::int64_t rows, bytes, from_leading, to_leading;
};
void copy_bytes(HostQueue queue, const ByteRows& shape, const void* from, void* to);

}  // namespace detail

// Elementwise, hence bitwise the same for any split. Arrays do not overlap.

/// Sets all bits of to (count) to 0.
template <class T>
void clear_array(HostQueue queue, T* to, std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    detail::clear_bytes(queue, to, count * static_cast<std::int64_t>(sizeof(T)));
}

/// to (count) = from.
template <class T>
void copy_array(HostQueue queue, const T* from, T* to, std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    detail::copy_bytes(queue, {1, count * static_cast<std::int64_t>(sizeof(T)), 0, 0}, from, to);
}

/// to = from, of the same shape.
template <class T>
void copy_rows(HostQueue queue, Matrix<const T> from, Matrix<T> to) {
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    detail::copy_bytes(queue,
                       {from.rows, from.columns * size, from.leading * size, to.leading * size},
                       from.data, to.data);
}

/// to (count) = value. T is float or double.
template <class T>
void fill_array(HostQueue queue, T* to, std::int64_t count, T value);

/// to (count) += from. T is float, double or std::int64_t.
template <class T>
void add_array(HostQueue queue, const T* from, T* to, std::int64_t count);

/// numbers (count) *= factor. T is float or double.
template <class T>
void scale_array(HostQueue queue, T factor, T* numbers, std::int64_t count);

// Copies between the program and a memory space, for data that the program itself reads or creates.
// Complete on return, and in order with the kernels of the queue.

/// from (count), an array in the queue's memory space.
template <class T>
std::vector<T> read_array(HostQueue, const T* from, std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    std::copy_n(from, count, values.data());
    return values;
}

/// to (count), an array in the queue's memory space, = from.
template <class T>
void write_array(HostQueue, const T* from, T* to, std::int64_t count) {
    std::copy_n(from, count, to);
}

}  // namespace shardstone
