// SPDX-License-Identifier: BSD-3-Clause
// Arrays are cleared, copied, added and scaled block by block.
#include "kernels/tensor/arrays.hpp"

#include <cstddef>
#include <cstring>

#include "kernels/tensor/for_each.hpp"

namespace shardstone {

void detail::clear_bytes(HostQueue queue, void* to, std::int64_t count) {
    auto* const bytes = static_cast<std::byte*>(to);
    for_each_block(queue, count, [=](std::int64_t begin, std::int64_t end) {
        std::memset(bytes + begin, 0, static_cast<std::size_t>(end - begin));
    });
}

void detail::copy_bytes(HostQueue queue, const ByteRows& shape, const void* from, void* to) {
    const auto [rows, bytes, from_leading, to_leading] = shape;
    const auto* const source = static_cast<const std::byte*>(from);
    auto* const target = static_cast<std::byte*>(to);
    const auto size = static_cast<std::size_t>(bytes);
    if (size == 0) return;
    for_each_row(queue, rows, [=, fl = from_leading, tl = to_leading](std::int64_t r) {
        std::memcpy(target + r * tl, source + r * fl, size);
    });
}

template <class T>
void fill_array(HostQueue queue, T* to, std::int64_t count, T value) {
    for_each_block(queue, count, [=](std::int64_t begin, std::int64_t end) {
        std::fill(to + begin, to + end, value);
    });
}

template <class T>
void add_array(HostQueue queue, const T* from, T* to, std::int64_t count) {
    for_each_block(queue, count, [=](std::int64_t begin, std::int64_t end) {
#pragma omp simd
        for (std::int64_t i = begin; i < end; ++i) to[i] += from[i];
    });
}

template <class T>
void scale_array(HostQueue queue, T factor, T* numbers, std::int64_t count) {
    for_each_block(queue, count, [=](std::int64_t begin, std::int64_t end) {
#pragma omp simd
        for (std::int64_t i = begin; i < end; ++i) numbers[i] *= factor;
    });
}

template void add_array(HostQueue, const std::int64_t*, std::int64_t*, std::int64_t);

#define SHARDSTONE_INSTANTIATE(T)                                   \
    template void fill_array(HostQueue, T*, std::int64_t, T);       \
    template void add_array(HostQueue, const T*, T*, std::int64_t); \
    template void scale_array(HostQueue, T, T*, std::int64_t);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
