// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "kernels/base/error.hpp"
#include "kernels/base/narrow_float.hpp"

namespace shardstone {

/// The possible element types of a buffer on the wire.
enum class ElementType : std::uint8_t { fp32, fp64, bf16, fp16, fp8_e4m3, fp8_e5m2, int32, int64 };

/// Type of the arithmetic on an element type: the type itself, or FP32 for the narrow ones.
template <class T>
using arithmetic_of = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

/// Type of computations and sums of a model that stores its tensors in S (`Real` in the kernels):
/// double for double, float for all others.
template <class S>
requires(!std::is_integral_v<S>) using compute_t = arithmetic_of<S>;

/// True if S is narrower than its compute_t, so that storing rounds.
template <class S>
inline constexpr bool is_narrow = !std::is_same_v<S, compute_t<S>>;

/// `type` and `is_integer` for all types. For floats: the unit roundoff of round to nearest, the
/// smallest normal number (below it numbers are evenly spaced), the largest finite number.
template <class T>
struct element_traits;

template <ElementType element_type>
struct integer_traits {
    static constexpr ElementType type = element_type;
    static constexpr bool is_integer = true;
};
template <>
struct element_traits<std::int32_t> : integer_traits<ElementType::int32> {};
template <>
struct element_traits<std::int64_t> : integer_traits<ElementType::int64> {};

template <>
struct element_traits<float> {
    static constexpr ElementType type = ElementType::fp32;
    static constexpr bool is_integer = false;
    static constexpr double unit_roundoff = 0x1p-24;
    static constexpr double smallest_normal = 0x1p-126;
    static constexpr double largest = 0x1.fffffep127;
};
template <>
struct element_traits<double> {
    static constexpr ElementType type = ElementType::fp64;
    static constexpr bool is_integer = false;
    static constexpr double unit_roundoff = 0x1p-53;
    static constexpr double smallest_normal = 0x1p-1022;
    static constexpr double largest = 0x1.fffffffffffffp1023;
};
template <>
struct element_traits<bf16> {
    static constexpr ElementType type = ElementType::bf16;
    static constexpr bool is_integer = false;
    static constexpr double unit_roundoff = 0x1p-8;
    static constexpr double smallest_normal = 0x1p-126;
    static constexpr double largest = 0x1.fep127;
};
template <>
struct element_traits<fp16> {
    static constexpr ElementType type = ElementType::fp16;
    static constexpr bool is_integer = false;
    static constexpr double unit_roundoff = 0x1p-11;
    static constexpr double smallest_normal = 0x1p-14;
    static constexpr double largest = 65504.0;
};
template <>
struct element_traits<fp8_e4m3> {
    static constexpr ElementType type = ElementType::fp8_e4m3;
    static constexpr bool is_integer = false;
    static constexpr double unit_roundoff = 0x1p-4;
    static constexpr double smallest_normal = 0x1p-6;
    static constexpr double largest = 448.0;
};
template <>
struct element_traits<fp8_e5m2> {
    static constexpr ElementType type = ElementType::fp8_e5m2;
    static constexpr bool is_integer = false;
    static constexpr double unit_roundoff = 0x1p-3;
    static constexpr double smallest_normal = 0x1p-14;
    static constexpr double largest = 57344.0;
};

/// Calls `f` with a value of the C++ type that corresponds to `type`: `dispatch(t, [](auto zero)
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
        case ElementType::fp8_e4m3:
            return f(fp8_e4m3{});
        case ElementType::fp8_e5m2:
            return f(fp8_e5m2{});
        case ElementType::int32:
            return f(std::int32_t{});
        case ElementType::int64:
            return f(std::int64_t{});
    }
    fail("unknown element type");
}

/// Size of one element in bytes.
inline std::size_t element_size(ElementType type) {
    return dispatch(type, [](auto zero) { return sizeof(zero); });
}

inline bool is_integer(ElementType type) {
    return dispatch(type, [](auto zero) { return element_traits<decltype(zero)>::is_integer; });
}

std::string_view to_string(ElementType type);

/// Accepts the names of to_string(), "fp32" to "int64"; also nccl-tests' names "float", "double",
/// "bfloat16", "half", "f8e4m3", "f8e5m2". Throws Error naming the value and the choices.
ElementType parse_element_type(std::string_view name);

}  // namespace shardstone
