// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/element_type.hpp"
#include "kernels/base/lanes.hpp"

namespace shardstone {

// Rows of elements to the type that their arithmetic is done in and back: the same bits as one
// element at a time, in vectors. The compiler makes these of the plain loop for bf16; lanes.hpp
// holds those that it does not find. The arrays do not overlap.

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

}  // namespace shardstone
