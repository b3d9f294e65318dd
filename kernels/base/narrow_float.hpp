// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace shardstone {

// Conversions are constexpr, so that GPU kernels can call them too.

/// Conversion between FP32 and a floating-point format that is narrower in exponent and
/// significand, to nearest even, subnormal numbers exact. Numbers beyond the range become infinity,
/// or the largest number in a format without infinity (as does infinity itself). A NaN loses sign
/// and payload, so that no result depends on the order of two NaNs.
///
/// A magnitude is split at the smallest normal number: the part below it is rounded by the FP32
/// adder (after Giesen, "Float->half variants", public domain notes), the part above it by integer
/// arithmetic, and the two codes are added. With clamping instead of branches, loops over it
/// vectorise well.
template <int bits, int mantissa_bits, int bias, bool has_infinity>
struct NarrowFormat {
    static constexpr int fraction_bits = mantissa_bits;
    static constexpr bool saturates = !has_infinity;
    static constexpr std::uint32_t sign_bit = 1U << (bits - 1);
    static constexpr std::uint32_t least_normal = 1U << mantissa_bits;
    /// The code of infinity, or of the largest number; those above it are NaNs.
    static constexpr std::uint32_t largest = has_infinity ? sign_bit - least_normal : sign_bit - 2;
    static constexpr std::uint32_t nan = has_infinity ? largest + least_normal / 2 : sign_bit - 1;

    static constexpr std::uint32_t encode(float value) {
        const auto word = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t magnitude = word & 0x7fffffffU;
        const std::uint32_t from = std::clamp(magnitude, wide(least_normal), wide(largest));
        const std::uint32_t odd = (from >> dropped_bits) & 1U;
        const std::uint32_t normal = (from - offset + half_less_one + odd) >> dropped_bits;
        const std::uint32_t up_to = std::min(magnitude, wide(least_normal));
        const float by = shifter;  // a copy, as kernels have no address of the constant
        const float shifted = std::bit_cast<float>(up_to) + by;
        const std::uint32_t subnormal =
            std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(by);
        const std::uint32_t sign = (word >> (32 - bits)) & sign_bit;
        const std::uint32_t code = (subnormal + normal - least_normal) | sign;
        return magnitude > 0x7f800000U ? nan : code;
    }

    static constexpr float decode(std::uint32_t code) {
        const std::uint32_t magnitude = code & (sign_bit - 1);
        const auto normal = std::bit_cast<float>(wide(std::max(magnitude, least_normal)));
        const auto up_to = static_cast<std::int32_t>(std::min(magnitude, least_normal));
        const float below =
            static_cast<float>(up_to) * unit - std::bit_cast<float>(wide(least_normal));
        auto word = std::bit_cast<std::uint32_t>(normal + below);
        word |= magnitude >= (has_infinity ? largest : nan) ? 0x7f800000U : 0U;
        word |= magnitude > largest ? 0x00400000U : 0U;
        return std::bit_cast<float>(word | (code & sign_bit) << (32 - bits));
    }

  private:
    static constexpr int dropped_bits = 23 - mantissa_bits;
    static constexpr std::uint32_t half_less_one = (1U << (dropped_bits - 1)) - 1U;
    static constexpr std::uint32_t offset = static_cast<std::uint32_t>(127 - bias) << 23;

    static constexpr float power_of_two(int exponent) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23);
    }
    /// The smallest subnormal number, and the FP32 number of which it is the unit in the last
    /// place.
    static constexpr float unit = power_of_two(1 - bias - mantissa_bits);
    static constexpr float shifter = power_of_two(1 - bias - mantissa_bits + 23);

    /// The FP32 word of a normal code (for infinity: of the number that would come next).
    static constexpr std::uint32_t wide(std::uint32_t code) {
        return (code << dropped_bits) + offset;
    }
};

/// bfloat16: the upper half of an FP32, 8 bits of significand, unit roundoff 2^-8.
struct bf16 {
    std::uint16_t bits = 0;

    bf16() = default;
    explicit constexpr bf16(float value) {
        const auto word = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t rounded = (word + 0x7fffU + ((word >> 16) & 1U)) >> 16;
        bits = static_cast<std::uint16_t>((word & 0x7fffffffU) > 0x7f800000U ? 0x7fc0U : rounded);
    }
    explicit constexpr operator float() const {
        return std::bit_cast<float>(std::uint32_t{bits} << 16);
    }
};

/// IEEE 754 binary16: 11 bits of significand, unit roundoff 2^-11, maximum 65504.
struct fp16 {
    using Format = NarrowFormat<16, 10, 15, true>;
    std::uint16_t bits = 0;

    fp16() = default;
    explicit constexpr fp16(float value)
        : bits(static_cast<std::uint16_t>(Format::encode(value))) {}
    explicit constexpr operator float() const { return Format::decode(bits); }
};

// The two formats of "OCP 8-bit Floating Point Specification (OFP8)", revision 1.0, 2023. It leaves
// the conversion of numbers beyond the range open. e4m3, which has no infinity, saturates here (the
// SATFINITE conversion of NVIDIA's tensor cores; infinities saturate too): one outlier must not
// become a NaN. e5m2 has an infinity and overflows to it, as IEEE 754 and loss scaling require.

/// 4 bits of significand, unit roundoff 2^-4, maximum 448, no infinity, one NaN (and its negative).
struct fp8_e4m3 {
    using Format = NarrowFormat<8, 3, 7, false>;
    std::uint8_t bits = 0;

    fp8_e4m3() = default;
    explicit constexpr fp8_e4m3(float value)
        : bits(static_cast<std::uint8_t>(Format::encode(value))) {}
    explicit constexpr operator float() const { return Format::decode(bits); }
};

/// 3 bits of significand, unit roundoff 2^-3, maximum 57344, infinities and NaNs.
struct fp8_e5m2 {
    using Format = NarrowFormat<8, 2, 15, true>;
    std::uint8_t bits = 0;

    fp8_e5m2() = default;
    explicit constexpr fp8_e5m2(float value)
        : bits(static_cast<std::uint8_t>(Format::encode(value))) {}
    explicit constexpr operator float() const { return Format::decode(bits); }
};

}  // namespace shardstone
