// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/element_type.hpp"
#include "kernels/base/lanes.hpp"

namespace shardstone {

// Conversion of rows of elements to the type of their arithmetic and back, vectorised, bitwise the
// same as one element at a time. For bf16 the compiler vectorises the plain loop; lanes.hpp has the
// conversions that it does not vectorise. The arrays do not overlap.

template <class T>
void widen(const T* __restrict from, arithmetic_of<T>* __restrict to, std::int64_t count) {
    std::int64_t i = 0;
    if constexpr (has_lanes<T>) {
        for (; i + Lanes<T>::count <= count; i += Lanes<T>::count)
            Lanes<T>::widen(from + i, to + i);
    }
    for (; i < count; ++i) to[i] = static_cast<arithmetic_of<T>>(from[i]);
}

template <class T>
void narrow(const arithmetic_of<T>* __restrict from, T* __restrict to, std::int64_t count) {
    std::int64_t i = 0;
    if constexpr (has_lanes<T>) {
        for (; i + Lanes<T>::count <= count; i += Lanes<T>::count)
            Lanes<T>::narrow(from + i, to + i);
    }
    for (; i < count; ++i) to[i] = T(from[i]);
}

/// to = value, rounded. For loops in which an assignment of T would copy a struct, which GCC does
/// not vectorise.
template <class T>
inline void store(arithmetic_of<T> value, T& to) {
    if constexpr (is_narrow<T>) {
        to.bits = T(value).bits;
    } else {
        to = value;
    }
}

/// to = value, which is already rounded.
template <class T>
inline void store_rounded(T value, T& to) {
    if constexpr (is_narrow<T>) {
        to.bits = value.bits;
    } else {
        to = value;
    }
}

/// Rounds each element to the nearest value of T, still in the type of the arithmetic, as if it
/// were stored and loaded again.
template <class T>
void round_to(arithmetic_of<T>* row, std::int64_t count) {
    if constexpr (is_narrow<T>) {
        std::int64_t i = 0;
        if constexpr (has_lanes<T>) {
            T stored[Lanes<T>::count];
            for (; i + Lanes<T>::count <= count; i += Lanes<T>::count) {
                Lanes<T>::narrow(row + i, stored);
                Lanes<T>::widen(stored, row + i);
            }
        }
        for (; i < count; ++i) row[i] = static_cast<arithmetic_of<T>>(T(row[i]));
    }
}

}  // namespace shardstone
