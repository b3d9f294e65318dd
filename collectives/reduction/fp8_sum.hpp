// SPDX-License-Identifier: BSD-3-Clause
// The sum of two vectors of 8-bit floats within the registers.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/base/narrow_float.hpp"

namespace shardstone::collectives {

#if defined(__AVX512BW__)
#define SHARDSTONE_FP8_SUM_BYTES 64
#elif defined(__AVX2__)
#define SHARDSTONE_FP8_SUM_BYTES 32
#endif

#if defined(SHARDSTONE_FP8_SUM_BYTES)

/// The bits of T(float(a) + float(b)). Elements never change their position: of each pair of bytes
/// the upper one is shifted to where bf16 has its sign, exponent and significand, the lower one
/// likewise, and of each pair of those again the upper and the lower one are the upper halves of
/// FP32 words. There the exponents count from another bias, that of FP32, so that all numbers are
/// smaller by the same power of two: subnormal numbers are subnormal in all three formats and the
/// sum has the same significand. It is rounded to odd where it becomes 16 bits wide (see
/// kernels/base/lanes.hpp) and to nearest where it becomes 8. Values without equivalents in the
/// wider formats, infinities and NaNs, are inserted last, byte by byte.
template <class T>
class Fp8Sum {
  public:
    static constexpr std::int64_t count = SHARDSTONE_FP8_SUM_BYTES;

    static void run(const T* a, const T* b, T* result) {
        Bytes bytes_a;
        Bytes bytes_b;
        std::memcpy(&bytes_a, a, sizeof bytes_a);
        std::memcpy(&bytes_b, b, sizeof bytes_b);
        const Bytes sums = with_special(bytes_a, bytes_b, sum(bytes_a, bytes_b));
        std::memcpy(static_cast<void*>(result), &sums, sizeof sums);
    }

  private:
    // GCC's own vectors, of one register.
    using Bytes = std::uint8_t __attribute__((vector_size(SHARDSTONE_FP8_SUM_BYTES)));
    using Halves = std::uint16_t __attribute__((vector_size(SHARDSTONE_FP8_SUM_BYTES)));
    using SignedHalves = std::int16_t __attribute__((vector_size(SHARDSTONE_FP8_SUM_BYTES)));
    using Words = std::uint32_t __attribute__((vector_size(SHARDSTONE_FP8_SUM_BYTES)));
    using Floats = float __attribute__((vector_size(SHARDSTONE_FP8_SUM_BYTES)));

    using Format = typename T::Format;
    /// Bits of the significand that bf16 has beyond those of T.
    static constexpr int dropped = 7 - Format::fraction_bits;
    static constexpr std::uint16_t sign = 0x8000;

    static Bytes sum(Bytes a, Bytes b) {
        const auto halves_a = reinterpret_cast<Halves>(a);
        const auto halves_b = reinterpret_cast<Halves>(b);
        const Halves odd = rounded(sum_to_odd(widened(halves_a), widened(halves_b)));
        const Halves even = rounded(sum_to_odd(widened(halves_a << 8), widened(halves_b << 8)));
        return reinterpret_cast<Bytes>((odd & 0xff00) | (even >> 8));
    }

    /// The upper byte of each half as bf16.
    static Halves widened(Halves halves) {
        constexpr int shift = 8 - dropped;
        constexpr std::uint16_t kept = sign | (0x7f << dropped);
        return reinterpret_cast<Halves>(reinterpret_cast<SignedHalves>(halves) >> shift) & kept;
    }

    static Halves sum_to_odd(Halves a, Halves b) {
        const auto words_a = reinterpret_cast<Words>(a);
        const auto words_b = reinterpret_cast<Words>(b);
        const Words odd = word_to_odd(words_a & 0xffff0000, words_b & 0xffff0000);
        const Words even = word_to_odd(words_a << 16, words_b << 16);
        return reinterpret_cast<Halves>((odd & 0xffff0000) | (even >> 16));
    }

    /// The lowest bit of the upper half is set if any of the lower half was; what remains there
    /// means nothing.
    static Words word_to_odd(Words a, Words b) {
        const Floats sum = reinterpret_cast<Floats>(a) + reinterpret_cast<Floats>(b);
        const auto word = reinterpret_cast<Words>(sum);
        return word | ((word & 0xffff) + 0xffff);
    }

    /// To nearest even in the upper byte; what remains in the lower one means nothing.
    static Halves rounded(Halves sum) {
        constexpr std::uint16_t half_less_one = (1 << (dropped - 1)) - 1;
        const Halves largest = Halves{} + static_cast<std::uint16_t>(Format::largest << dropped);
        const Halves any = sum & 0x7fff;
        const Halves magnitude = largest < any ? largest : any;
        const Halves nearest = magnitude + half_less_one + ((magnitude >> dropped) & 1);
        return ((nearest << (8 - dropped)) & 0x7fff) | (sum & sign);
    }

    /// The result where a or b is infinite or NaN.
    static Bytes with_special(Bytes a, Bytes b, Bytes sum) {
        const Bytes magnitude_a = a & 0x7f;
        const Bytes magnitude_b = b & 0x7f;
        const Bytes larger = magnitude_a < magnitude_b ? magnitude_b : magnitude_a;
        const Bytes nan = Bytes{} + static_cast<std::uint8_t>(Format::nan);
        if constexpr (Format::saturates) return larger == nan ? nan : sum;
        constexpr auto infinity = static_cast<std::uint8_t>(Format::largest);
        const Bytes infinite = magnitude_a < magnitude_b ? b : a;
        const Bytes special = (a ^ b) == 0x80 ? nan : infinite;
        const Bytes result = larger < infinity ? sum : special;
        return larger > infinity ? nan : result;
    }
};

#endif

}  // namespace shardstone::collectives
