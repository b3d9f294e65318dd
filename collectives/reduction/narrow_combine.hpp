// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "collectives/reduction/fp8_sum.hpp"
#include "collectives/reduction/reduction_operations.hpp"
#include "kernels/base/convert.hpp"

namespace shardstone::collectives {

/// Combines two narrow vectors without intermediate results in memory, several elements at a time
/// (`count`, `run`), for the types and operations that benefit. The same bits as one element at a
/// time; `result` may be `a` or `b`.
template <class T, class Operation>
struct Fused;

template <class T, class Operation>
concept has_fused = requires {
    Fused<T, Operation>::count;
};

/// Through the processor's own conversions.
template <class Operation>
requires has_lanes<fp16>
struct Fused<fp16, Operation> {
    static constexpr std::int64_t count = Lanes<fp16>::count;

    static void run(const fp16* a, const fp16* b, fp16* result) {
        alignas(64) std::array<float, count> wide_a;
        alignas(64) std::array<float, count> wide_b;
        Lanes<fp16>::widen(a, wide_a.data());
        Lanes<fp16>::widen(b, wide_b.data());
        for (std::size_t i = 0; i < wide_a.size(); ++i) {
            wide_a[i] = Operation::combine(wide_a[i], wide_b[i]);
        }
        Lanes<fp16>::narrow(wide_a.data(), result);
    }
};

#if defined(__AVX512F__)

/// The upper halves of 32-bit words: every other element is one already, the rest are shifted
/// there, and no element changes its position. (The processor's own rounding to bf16 would make
/// subnormal numbers zeros.)
template <>
struct Fused<bf16, Sum> {
    static constexpr std::int64_t count = 32;

    static void run(const bf16* a, const bf16* b, bf16* result) {
        Words words_a;
        Words words_b;
        std::memcpy(&words_a, a, sizeof words_a);
        std::memcpy(&words_b, b, sizeof words_b);
        const Words odd = rounded_sum(words_a & upper_half, words_b & upper_half);
        const Words even = rounded_sum(words_a << 16, words_b << 16);
        const Words both = (odd & upper_half) | (even >> 16);
        std::memcpy(static_cast<void*>(result), &both, sizeof both);
    }

  private:
    // GCC's own vectors, of one register.
    using Words = std::uint32_t __attribute__((vector_size(64)));
    using Floats = float __attribute__((vector_size(64)));
    static constexpr std::uint32_t upper_half = 0xffff0000;

    /// To nearest even in the upper half of each word, as bf16(float) has it; what remains in the
    /// lower half means nothing.
    static Words rounded_sum(Words a, Words b) {
        const Floats sum = reinterpret_cast<Floats>(a) + reinterpret_cast<Floats>(b);
        const auto word = reinterpret_cast<Words>(sum);
        const Words rounded = word + 0x7fff + ((word >> 16) & 1);
        return sum == sum ? rounded : Words{} + 0x7fc00000;
    }
};

#endif

#if defined(SHARDSTONE_FP8_SUM_BYTES)

template <>
struct Fused<fp8_e4m3, Sum> : Fp8Sum<fp8_e4m3> {};
template <>
struct Fused<fp8_e5m2, Sum> : Fp8Sum<fp8_e5m2> {};

#endif

/// result[i] = a[i] (+, max, min) b[i], rounded once; `result` may be `a` or `b`.
template <class T, class Operation>
requires has_fused<T, Operation>
void combine_fused(const T* a, const T* b, T* result, std::int64_t count) {
    using Pair = Fused<T, Operation>;
    std::int64_t i = 0;
    for (; i + Pair::count <= count; i += Pair::count) Pair::run(a + i, b + i, result + i);
    if (i == count) return;
    // The remainder as a full group, of which the last elements are meaningless.
    std::array<T, Pair::count> rest_a{};
    std::array<T, Pair::count> rest_b{};
    std::copy(a + i, a + count, rest_a.begin());
    std::copy(b + i, b + count, rest_b.begin());
    Pair::run(rest_a.data(), rest_b.data(), rest_a.data());
    std::copy_n(rest_a.begin(), count - i, result + i);
}

}  // namespace shardstone::collectives
