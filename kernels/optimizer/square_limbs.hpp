// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of SquareSum, one text for the host and the GPU.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "kernels/optimizer/gradient_norm.hpp"

namespace shardstone::square_limbs {

using Bits = std::uint64_t;

// Adding 1.5 * 2^52 g to an x under 2^51 g lands in [2^52 g, 2^53 g), where FP64 has a spacing of
// g: the sum is x rounded to the grid, and its bits, read as an integer, are those of the constant
// plus x / g. So integers add up exactly what the grid holds, whatever carries come in between.
inline constexpr double to_high = 0x1.8p62;    // grid 2^10, squares to 2^40
inline constexpr double to_middle = 0x1.8p12;  // grid 2^-40, remainders to 2^9
inline constexpr double to_low = 0x1.8p-38;    // grid 2^-90, remainders to 2^-41
inline constexpr double largest_square = SquareSum::limit * SquareSum::limit;
inline constexpr int limb_bits = 50;  // from one grid to the next
inline constexpr std::int64_t limb = std::int64_t{1} << limb_bits;

/// Elements between two carries: remainders of 2^49 grid steps each stay under 2^63.
inline constexpr std::int64_t block = 4096;

/// Of one square, or of several added up limb by limb: each has the bits of its constant once for
/// every square.
struct Parts {
    Bits high, middle, low;
};

constexpr Parts parts_of(double square) {
    const double h = square + to_high;
    const double below_high = square - (h - to_high);
    const double m = below_high + to_middle;
    const double below_middle = below_high - (m - to_middle);
    const double l = below_middle + to_low;
    return {std::bit_cast<Bits>(h), std::bit_cast<Bits>(m), std::bit_cast<Bits>(l)};
}

/// The sums of `squares` of them, without the constants.
constexpr Parts without_constants(const Parts& sums, Bits squares) {
    return {sums.high - squares * std::bit_cast<Bits>(to_high),
            sums.middle - squares * std::bit_cast<Bits>(to_middle),
            sums.low - squares * std::bit_cast<Bits>(to_low)};
}

/// Brings `lower` into [0, 2^limb_bits).
constexpr void carry_up(std::int64_t& lower, std::int64_t& upper) {
    const std::int64_t carried = lower >> limb_bits;
    lower -= carried * limb;
    upper += carried;
}

constexpr SquareSum::Limbs carried(SquareSum::Limbs limbs) {
    carry_up(limbs[2], limbs[1]);
    carry_up(limbs[1], limbs[0]);
    return limbs;
}

/// SquareSum::value() of carried limbs. Products by powers of two are exact: the bits are the same
/// where they are fused with the sums.
constexpr double value_of(const SquareSum::Limbs& limbs) {
    if (limbs[3] != 0) return std::numeric_limits<double>::quiet_NaN();
    const double below =
        static_cast<double>(limbs[1]) * 0x1p-40 + static_cast<double>(limbs[2]) * 0x1p-90;
    return static_cast<double>(limbs[0]) * 0x1p10 + below;
}

}  // namespace shardstone::square_limbs
