// SPDX-License-Identifier: BSD-3-Clause
// Rows of matrices on the GPU, read and written several columns at a time.
#pragma once

#include <type_traits>

#include "kernels/base/device/elements.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone::device {

/// Whether all rows consist of packs of `count` columns that one instruction can read. Chooses the
/// instructions alone: no result depends on it.
template <int count, class T>
bool has_whole_packs(const Matrix<T, Cuda>& m) {
    return m.columns % count == 0 &&
           are_aligned(count * sizeof(T), m.data, static_cast<std::size_t>(m.leading) * sizeof(T));
}

/// Columns [c, c + count) of a row of so many, zeros where it has ended. `whole`:
/// has_whole_packs().
template <bool whole, int count, class T>
__device__ inline Pack<T, count> load_columns(const T* row, std::int64_t c, std::int64_t columns) {
    Pack<T, count> pack{};
    if constexpr (whole) {
        if (c < columns) pack = load_pack<T, count>(row + c);
    } else {
#pragma unroll
        for (int i = 0; i < count; ++i) {
            if (c + i < columns) pack.element[i] = row[c + i];
        }
    }
    return pack;
}

/// Writes columns [c, c + count) of a row of so many, as far as it goes.
template <bool whole, int count, class T>
__device__ inline void store_columns(const Pack<T, count>& pack, T* row, std::int64_t c,
                                     std::int64_t columns) {
    if constexpr (whole) {
        if (c < columns) store_pack(pack, row + c);
    } else {
#pragma unroll
        for (int i = 0; i < count; ++i) {
            if (c + i < columns) row[c + i] = pack.element[i];
        }
    }
}

/// How many parts of this size make up the whole.
inline unsigned parts(std::int64_t whole, std::int64_t size) {
    return static_cast<unsigned>((whole + size - 1) / size);
}

/// f(std::true_type) or f(std::false_type): for kernels with a constant in their type.
template <class F>
void with_constant(bool value, const F& f) {
    if (value) {
        f(std::true_type{});
    } else {
        f(std::false_type{});
    }
}

}  // namespace shardstone::device
