// SPDX-License-Identifier: BSD-3-Clause
// Rounding of FP32 numbers to those of an FP8 type, one text for the host and the GPU.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "kernels/base/element_type.hpp"

namespace shardstone::fp8_grid {

inline constexpr std::uint32_t magnitude_bits = 0x7fffffff;
inline constexpr std::uint32_t exponent_bits = 0x7f800000;

/// The numbers of F over a scale, within FP32. They are evenly spaced from one power of two to the
/// next, and below the smallest normal number as above it. Adding 1.5 * 2^23 spacings to a number
/// makes the FP32 adder round it to a whole number of them, and taking them off again is exact.
struct Grid {
    float top;                     ///< largest number
    std::uint32_t least_exponent;  ///< of the smallest normal number, where FP32 has it
    std::uint32_t to_shifter;      ///< from a number's exponent to 1.5 * 2^23 spacings
};

template <class F>
constexpr Grid grid_of(float scale) {
    constexpr int mantissa_bits = std::countr_zero(F::Format::least_normal);
    using Traits = element_traits<F>;
    return {static_cast<float>(Traits::largest) / scale,
            std::bit_cast<std::uint32_t>(static_cast<float>(Traits::smallest_normal) / scale),
            (static_cast<std::uint32_t>(23 - mantissa_bits) << 23) + (1U << 22)};
}

/// Comparisons leave a NaN alone.
constexpr float rounded(float number, const Grid& grid) {
    number = number > grid.top ? grid.top : number;
    number = number < -grid.top ? -grid.top : number;
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(number) & exponent_bits;
    const auto shifter =
        std::bit_cast<float>(std::max(exponent, grid.least_exponent) + grid.to_shifter);
    return (number + shifter) - shifter;
}

/// Of the largest magnitude's bits: infinity for a NaN.
constexpr float number_of(std::uint32_t magnitude) {
    return magnitude > exponent_bits ? std::numeric_limits<float>::infinity()
                                     : std::bit_cast<float>(magnitude);
}

}  // namespace shardstone::fp8_grid
