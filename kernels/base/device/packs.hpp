// SPDX-License-Identifier: BSD-3-Clause
// Elements of several arrays of one length, in packs of 16 B where their addresses allow it.
#pragma once

#include "kernels/base/device/elements.hpp"

namespace shardstone::device {

/// Elements [0, count) as packs, whose addresses are multiples of their size in every array, and
/// the elements before and behind them, one by one. Arrays that start at different places between
/// multiples of 16 B have no packs.
template <class T>
struct Packs {
    static constexpr int width = pack_size<T>;

    std::int64_t head = 0, packs = 0, singles = 0;

    template <class... Others>
    static Packs of(std::int64_t count, const T* first, const Others*... others) {
        static_assert((... && (sizeof(Others) == sizeof(T))));
        constexpr std::size_t bytes = sizeof(T) * width;
        const auto past = [](const void* array) {
            return reinterpret_cast<std::uintptr_t>(array) % bytes;
        };
        const bool alike = (... && (past(others) == past(first)));
        const auto head = static_cast<std::int64_t>((bytes - past(first)) % bytes / sizeof(T));
        if (!alike || count < head + width) return {0, 0, count};
        const std::int64_t packs = (count - head) / width;
        return {head, packs, count - packs * width};
    }

    std::int64_t pieces() const { return packs + singles; }
    __device__ std::int64_t place_of_pack(std::int64_t pack) const { return head + pack * width; }
    __device__ std::int64_t place_of_single(std::int64_t single) const {
        return single < head ? single : single + packs * width;
    }
};

}  // namespace shardstone::device
