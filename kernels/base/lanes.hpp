// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/narrow_float.hpp"

#if defined(__F16C__) && defined(__AVX2__)
#include <immintrin.h>
#endif

namespace shardstone {

/// Conversions of a vector's worth of narrow floats with the processor's own instructions, for the
/// types and processors that have them: `count`, `widen`, `narrow`. Bitwise the same as one at a
/// time.
template <class T>
struct Lanes;

template <class T>
concept has_lanes = requires {
    Lanes<T>::count;
};

#if defined(__F16C__) && defined(__AVX2__)

template <>
struct Lanes<fp16> {
    static constexpr std::int64_t count = 8;

    static void widen(const fp16* from, float* to) {
        const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        _mm256_storeu_ps(to, _mm256_cvtph_ps(halves));
    }

    /// NaNs are replaced by the NaN of fp16(float) before the instruction, which would keep their
    /// bits.
    static void narrow(const float* from, fp16* to) {
        const __m256 wide = _mm256_loadu_ps(from);
        const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
        const __m256 is_nan = _mm256_cmp_ps(wide, wide, _CMP_UNORD_Q);
        const __m128i halves =
            _mm256_cvtps_ph(_mm256_blendv_ps(wide, nan, is_nan), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), halves);
    }
};

/// The 8-bit formats via fp16, of which they are the upper bits: e5m2 the upper 8, e4m3 all but the
/// lowest 7 without the first exponent bit, of the number times 2^-8 (the two biases differ by 8).
/// On the way back fp16 is rounded to odd (truncated, and the last bit set if anything was lost),
/// so that rounding it again gives the same as rounding once: it has at least two bits more (S.
/// Boldo and G. Melquiond, "Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using
/// Rounding to Odd", IEEE Trans. Computers 57(4), 2008).
template <class T, int dropped_bits>
struct LanesByHalves {
    static constexpr std::int64_t count = 16;
    static constexpr bool is_scaled = dropped_bits == 7;

    static void widen(const T* from, float* to) {
        const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        __m256i halves = _mm256_slli_epi16(_mm256_cvtepu8_epi16(codes), 8);
        if constexpr (is_scaled) {
            const __m256i shifted = _mm256_srai_epi16(halves, 1);  // the sign twice
            const __m256i number = _mm256_and_si256(shifted, all(0xbf80));
            const __m256i nan = _mm256_and_si256(shifted, all(0x3f80));
            const __m256i is_nan = _mm256_cmpeq_epi16(nan, all(0x3f80));
            halves = _mm256_or_si256(number, _mm256_and_si256(is_nan, all(0x7e00)));
        }
        store(_mm256_castsi256_si128(halves), to);
        store(_mm256_extracti128_si256(halves, 1), to + 8);
    }

    static void narrow(const float* from, T* to) {
        const __m256i halves =
            _mm256_inserti128_si256(_mm256_castsi128_si256(to_odd(from)), to_odd(from + 8), 1);
        const __m256i magnitude = _mm256_and_si256(halves, all(0x7fff));
        const __m256i odd = _mm256_and_si256(_mm256_srli_epi16(magnitude, dropped_bits), all(1));
        const __m256i half_less_one = all((1 << (dropped_bits - 1)) - 1);
        const __m256i rounded = _mm256_add_epi16(magnitude, _mm256_add_epi16(odd, half_less_one));
        const __m256i code = _mm256_min_epu16(_mm256_srli_epi16(rounded, dropped_bits),
                                              all(static_cast<int>(T::Format::largest)));
        const __m256i sign = _mm256_and_si256(_mm256_srli_epi16(halves, 8), all(0x80));
        const __m256i is_nan = _mm256_cmpgt_epi16(magnitude, all(0x7c00));
        const __m256i bytes = _mm256_blendv_epi8(_mm256_or_si256(code, sign),
                                                 all(static_cast<int>(T::Format::nan)), is_nan);
        _mm_storeu_si128(
            reinterpret_cast<__m128i*>(to),
            _mm_packus_epi16(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)));
    }

  private:
    static __m256i all(int word) { return _mm256_set1_epi16(static_cast<short>(word)); }

    static void store(__m128i halves, float* to) {
        const __m256 wide = _mm256_cvtph_ps(halves);
        _mm256_storeu_ps(to, is_scaled ? _mm256_mul_ps(wide, _mm256_set1_ps(0x1p8F)) : wide);
    }

    static __m128i to_odd(const float* from) {
        __m256 wide = _mm256_loadu_ps(from);
        if constexpr (is_scaled) wide = _mm256_mul_ps(wide, _mm256_set1_ps(0x1p-8F));
        const __m128i cut = _mm256_cvtps_ph(wide, _MM_FROUND_TO_ZERO);
        const __m256i lost =
            _mm256_castps_si256(_mm256_cmp_ps(_mm256_cvtph_ps(cut), wide, _CMP_NEQ_UQ));
        const __m128i lost_16 =
            _mm_packs_epi32(_mm256_castsi256_si128(lost), _mm256_extracti128_si256(lost, 1));
        return _mm_or_si128(cut, _mm_and_si128(lost_16, _mm_set1_epi16(1)));
    }
};

template <>
struct Lanes<fp8_e4m3> : LanesByHalves<fp8_e4m3, 7> {};
template <>
struct Lanes<fp8_e5m2> : LanesByHalves<fp8_e5m2, 8> {};

#endif

}  // namespace shardstone
