// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "kernels/base/error.hpp"

namespace shardstone {

// What converts elements is constexpr, so that kernels on GPUs can call it too.

/// The element types a buffer on the wire may have.
enum class ElementType : std::uint8_t { fp32, fp64, bf16, fp16 };

/// bfloat16: the upper half of an FP32, 8 bits of significand, unit roundoff 2^-8 (nearest even).
struct bf16 {
    std::uint16_t bits = 0;

    bf16() = default;
    explicit constexpr bf16(float value);
    explicit constexpr operator float() const {
        return std::bit_cast<float>(std::uint32_t{bits} << 16);
    }
};

/// IEEE 754 binary16: 11 bits of significand, unit roundoff 2^-11 (nearest even), maximum 65504.
struct fp16 {
    std::uint16_t bits = 0;

    fp16() = default;
    explicit constexpr fp16(float value);
    explicit constexpr operator float() const;
};

constexpr bf16::bf16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffffU) > 0x7f800000U) {
        bits = static_cast<std::uint16_t>((word >> 16) | 0x40U);  // keep a NaN a NaN
        return;
    }
    const std::uint32_t round_to_even = 0x7fffU + ((word >> 16) & 1U);
    bits = static_cast<std::uint16_t>((word + round_to_even) >> 16);
}

// Branch-light conversions after Giesen, "Float->half variants" (public domain notes): the hardware
// adder does the rounding, so nearest-even comes out right for normal and subnormal results alike.
constexpr fp16::fp16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (word >> 16) & 0x8000U;
    const std::uint32_t magnitude = word & 0x7fffffffU;
    std::uint32_t half = 0;
    if (magnitude >= 0x47800000U) {  // 65536 and above, infinity, NaN
        half = magnitude > 0x7f800000U ? 0x7e00U : 0x7c00U;
    } else if (magnitude < 0x38800000U) {  // below 2^-14: subnormal, let the FP32 adder round it
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        half = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U;
    } else {
        half = (magnitude + 0xc8000fffU + ((magnitude >> 13) & 1U)) >> 13;
    }
    bits = static_cast<std::uint16_t>(half | sign);
}

constexpr fp16::operator float() const {
    const std::uint32_t sign = (std::uint32_t{bits} & 0x8000U) << 16;
    const std::uint32_t magnitude = std::uint32_t{bits} & 0x7fffU;
    if (magnitude >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | (magnitude << 13));
    if (magnitude < 0x0400U) {
        const float value = static_cast<float>(magnitude) * 0x1p-24F;
        return sign == 0 ? value : -value;
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
}

template <class T>
struct element_traits;
template <>
struct element_traits<float> {
    static constexpr ElementType type = ElementType::fp32;
    static constexpr double unit_roundoff = 0x1p-24;
};
template <>
struct element_traits<double> {
    static constexpr ElementType type = ElementType::fp64;
    static constexpr double unit_roundoff = 0x1p-53;
};
template <>
struct element_traits<bf16> {
    static constexpr ElementType type = ElementType::bf16;
    static constexpr double unit_roundoff = 0x1p-8;
};
template <>
struct element_traits<fp16> {
    static constexpr ElementType type = ElementType::fp16;
    static constexpr double unit_roundoff = 0x1p-11;
};

/// Calls `f` with a value of the C++ type that stands for `type`: `dispatch(t, [](auto zero)
/// {...})`.
template <class F>
decltype(auto) dispatch(ElementType type, F&& f) {
    switch (type) {
        case ElementType::fp32:
            return f(float{});
        case ElementType::fp64:
            return f(double{});
        case ElementType::bf16:
            return f(bf16{});
        case ElementType::fp16:
            return f(fp16{});
    }
    fail("unknown element type");
}

/// Size of one element in bytes.
inline std::size_t element_size(ElementType type) {
    return dispatch(type, [](auto zero) { return sizeof(zero); });
}

std::string_view to_string(ElementType type);

/// "fp32", "fp64", "bf16", "fp16"; also nccl-tests' names "float", "double", "bfloat16", "half".
/// Throws Error naming the value and the choices.
ElementType parse_element_type(std::string_view name);

}  // namespace shardstone
