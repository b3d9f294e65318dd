// SPDX-License-Identifier: BSD-3-Clause
// Elements in kernels: conversion of our narrow types by the hardware's instructions, and several
// elements at a time.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

#include "kernels/base/device/language.hpp"
#include "kernels/base/element_type.hpp"

namespace shardstone::device {

// Conversions give the bits of narrow_float.hpp, but for NaNs, which keep what the hardware makes.

__device__ inline float widened(float value) {
    return value;
}
__device__ inline double widened(double value) {
    return value;
}
__device__ inline float widened(bf16 value) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}
__device__ inline float widened(fp16 value) {
    return __half2float(std::bit_cast<__half>(value.bits));
}

template <class S>
__device__ inline S narrowed(compute_t<S> value) {
    if constexpr (std::is_same_v<S, bf16>) {
        bf16 result;
        result.bits = std::bit_cast<std::uint16_t>(__float2bfloat16_rn(value));
        return result;
    } else if constexpr (std::is_same_v<S, fp16>) {
        fp16 result;
        result.bits = std::bit_cast<std::uint16_t>(__float2half_rn(value));
        return result;
    } else {
        return static_cast<S>(value);
    }
}

/// Two elements in one register, as matrix units read them: `low` in the lower half.
template <class S>
__device__ inline unsigned narrowed_pair(float low, float high) {
    static_assert(std::is_same_v<S, bf16> || std::is_same_v<S, fp16>);
    unsigned result;
    if constexpr (std::is_same_v<S, bf16>) {
        const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
        std::memcpy(&result, &pair, sizeof result);
    } else {
        const __half2 pair = __floats2half2_rn(low, high);
        std::memcpy(&result, &pair, sizeof result);
    }
    return result;
}

/// `count` elements that are loaded and stored at once; their address is a multiple of their size,
/// 16 B at most for one instruction.
template <class T, int count>
struct alignas(sizeof(T) * count) Pack {
    T element[count];
};

/// As many as one load of 16 B has.
template <class T>
inline constexpr int pack_size = 16 / static_cast<int>(sizeof(T));

template <class T, int count = pack_size<T>>
__device__ inline Pack<T, count> load_pack(const T* from) {
    return *reinterpret_cast<const Pack<T, count>*>(from);
}

__extension__ typedef unsigned __int128 Word128;

/// As whole words, since nvcc stores an assigned struct element by element.
template <class T, int count>
__device__ inline void store_pack(const Pack<T, count>& pack, T* to) {
    using Word = std::conditional_t<
        sizeof pack % 16 == 0, Word128,
        std::conditional_t<sizeof pack % 8 == 0, std::uint64_t,
                           std::conditional_t<sizeof pack % 4 == 0, std::uint32_t,
                                              std::conditional_t<sizeof pack % 2 == 0,
                                                                 std::uint16_t, std::uint8_t>>>>;
    struct Words {
        Word word[sizeof pack / sizeof(Word)];
    };
    const auto words = std::bit_cast<Words>(pack);
    auto* target = reinterpret_cast<Word*>(to);
#pragma unroll
    for (const Word word : words.word) *target++ = word;
}

/// Whether rows at these addresses and distances can be read in packs of this many bytes.
inline bool are_aligned(std::size_t bytes, const void* data, std::size_t leading_bytes = 0) {
    return reinterpret_cast<std::uintptr_t>(data) % bytes == 0 && leading_bytes % bytes == 0;
}

}  // namespace shardstone::device
