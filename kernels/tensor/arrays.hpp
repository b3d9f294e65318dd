// SPDX-License-Identifier: BSD-3-Clause
// Kernels on contiguous arrays that belong to no layer: clear, copy, add, scale.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/tensor/cuda.hpp"
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

void clear_bytes(CudaQueue queue, void* to, std::int64_t count);
void copy_bytes(CudaQueue queue, const ByteRows& shape, const void* from, void* to);
// Between the program and the GPU. What the program gives is taken along, through pinned memory,
// before the call returns, which does not wait for the kernels before it.
void write_bytes(CudaQueue queue, const void* from, void* to, std::int64_t count);
void read_bytes(CudaQueue queue, const void* from, void* to, std::int64_t count);

template <class T>
constexpr auto bytes_of = static_cast<std::int64_t>(sizeof(T));

}  // namespace detail

/// The queues of the spaces in which kernels compute.
template <class T>
concept ComputingQueue = std::is_same_v<T, HostQueue> || std::is_same_v<T, CudaQueue>;

// Elementwise, hence bitwise the same for any split. Arrays do not overlap.

/// Sets all bits of to (count) to 0.
template <class T>
void clear_array(ComputingQueue auto queue, T* to, std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    detail::clear_bytes(queue, to, count * detail::bytes_of<T>);
}

/// to (count) = from.
template <class T>
void copy_array(ComputingQueue auto queue, const T* from, T* to, std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    detail::copy_bytes(queue, {1, count * detail::bytes_of<T>, 0, 0}, from, to);
}

namespace detail {

template <class T, class Space>
void copy_rows(typename Space::Queue queue, Matrix<const T, Space> from, Matrix<T, Space> to) {
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr std::int64_t size = bytes_of<T>;
    copy_bytes(queue, {from.rows, from.columns * size, from.leading * size, to.leading * size},
               from.data, to.data);
}

}  // namespace detail

/// to = from, of the same shape.
template <class T>
void copy_rows(HostQueue queue, Matrix<const T> from, Matrix<T> to) {
    detail::copy_rows<T, Host>(queue, from, to);
}
template <class T>
void copy_rows(CudaQueue queue, Matrix<const T, Cuda> from, Matrix<T, Cuda> to) {
    detail::copy_rows<T, Cuda>(queue, from, to);
}

/// to (count) = value. T is float or double.
template <class T>
void fill_array(HostQueue queue, T* to, std::int64_t count, T value);
template <class T>
void fill_array(CudaQueue queue, T* to, std::int64_t count, T value);

/// to (count) += from. T is float, double or std::int64_t.
template <class T>
void add_array(HostQueue queue, const T* from, T* to, std::int64_t count);
template <class T>
void add_array(CudaQueue queue, const T* from, T* to, std::int64_t count);

/// numbers (count) *= factor. T is float or double.
template <class T>
void scale_array(HostQueue queue, T factor, T* numbers, std::int64_t count);
template <class T>
void scale_array(CudaQueue queue, T factor, T* numbers, std::int64_t count);

/// differing += the elements of one (count) and other of which any bit differs: 0.0 from -0.0, too,
/// and no NaN from itself. T is float or bf16 or fp16.
template <class T>
void add_differences(CudaQueue queue, const T* one, const T* other, std::int64_t count,
                     std::int64_t* differing);

// Copies between the program and a memory space, for data that the program itself reads or creates.
// Complete on return, and in order with the kernels of the queue.

/// from (count), an array in the queue's memory space.
template <class T>
std::vector<T> read_array(HostQueue, const T* from, std::int64_t count) {
    std::vector<T> values(static_cast<std::size_t>(count));
    std::copy_n(from, count, values.data());
    return values;
}
/// Waits for the kernels before it.
template <class T>
std::vector<T> read_array(CudaQueue queue, const T* from, std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(static_cast<std::size_t>(count));
    detail::read_bytes(queue, from, values.data(), count * detail::bytes_of<T>);
    return values;
}

/// to (count), an array in the queue's memory space, = from.
template <class T>
void write_array(HostQueue, const T* from, T* to, std::int64_t count) {
    std::copy_n(from, count, to);
}
template <class T>
void write_array(CudaQueue queue, const T* from, T* to, std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    detail::write_bytes(queue, from, to, count * detail::bytes_of<T>);
}

}  // namespace shardstone
