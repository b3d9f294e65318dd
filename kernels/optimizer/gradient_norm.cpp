// SPDX-License-Identifier: BSD-3-Clause
// Gradient norm and clipping, from sums of squares whose bits no sharding over ranks can change.
#include "kernels/optimizer/gradient_norm.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/tensor/row_function.hpp"
#include "kernels/tensor/row_reduction.hpp"

namespace shardstone {

namespace {

using Bits = std::uint64_t;

// Adding 1.5 * 2^52 g to an x under 2^51 g lands in [2^52 g, 2^53 g), where FP64 has a spacing of
// g: the sum is x rounded to the grid, and its bits, read as an integer, are those of the constant
// plus x / g. So integers add up exactly what the grid holds, whatever carries come in between.
constexpr double to_high = 0x1.8p62;    // grid 2^10, squares to 2^40
constexpr double to_middle = 0x1.8p12;  // grid 2^-40, remainders to 2^9
constexpr double to_low = 0x1.8p-38;    // grid 2^-90, remainders to 2^-41
constexpr double largest_square = SquareSum::limit * SquareSum::limit;
constexpr int limb_bits = 50;  // from one grid to the next

/// Elements between two carries: remainders of 2^49 grid steps each stay under 2^63.
constexpr std::int64_t block = 4096;

struct BlockSums {
    Bits high, middle, low, beyond;
};

template <class Real>
SHARDSTONE_ROW_FUNCTION BlockSums block_sums(const Real* x, std::int64_t n) {
    Bits high = 0;
    Bits middle = 0;
    Bits low = 0;
    Bits beyond = 0;
#pragma omp simd reduction(+ : high, middle, low, beyond)
    for (std::int64_t i = 0; i < n; ++i) {
        const auto value = static_cast<double>(x[i]);
        const double square = value * value;
        beyond += static_cast<Bits>(!(square <= largest_square));
        const double h = square + to_high;
        const double below_high = square - (h - to_high);
        const double m = below_high + to_middle;
        const double below_middle = below_high - (m - to_middle);
        const double l = below_middle + to_low;
        high += std::bit_cast<Bits>(h);
        middle += std::bit_cast<Bits>(m);
        low += std::bit_cast<Bits>(l);
    }
    const auto times = static_cast<Bits>(n);
    return {high - times * std::bit_cast<Bits>(to_high),
            middle - times * std::bit_cast<Bits>(to_middle),
            low - times * std::bit_cast<Bits>(to_low), beyond};
}

template <class Real>
void add_block(const Real* x, std::int64_t n, SquareSum::Limbs& limbs) {
    const BlockSums sums = block_sums(x, n);
    limbs[3] += static_cast<std::int64_t>(sums.beyond);
    if (sums.beyond != 0) return;  // the other sums mean nothing
    limbs[0] += static_cast<std::int64_t>(sums.high);
    limbs[1] += static_cast<std::int64_t>(sums.middle);
    limbs[2] += static_cast<std::int64_t>(sums.low);
}

template <class Real>
SHARDSTONE_ROW_FUNCTION bool all_finite(const Real* x, std::int64_t n) {
    // Zero times a number is zero, and NaN times anything else.
    return sum_of<Real>(n, [=](std::int64_t i) { return x[i] * Real(0); }) == Real(0);
}

/// Brings limb `from` into [0, 2^limb_bits).
void carry_up(SquareSum::Limbs& limbs, std::size_t from) {
    const std::int64_t carried = limbs[from] >> limb_bits;
    limbs[from] -= carried * (std::int64_t{1} << limb_bits);
    limbs[from - 1] += carried;
}

}  // namespace

SquareSum::SquareSum(const Limbs& limbs) : limbs_(limbs) {
    carry();
}

void SquareSum::carry() {
    carry_up(limbs_, 2);
    carry_up(limbs_, 1);
}

template <class Real>
void SquareSum::add(std::span<const Real> values) {
    const auto size = static_cast<std::int64_t>(values.size());
    for (std::int64_t begin = 0; begin < size; begin += block) {
        add_block(values.data() + begin, std::min(block, size - begin), limbs_);
        carry();
    }
}

template void SquareSum::add(std::span<const float>);
template void SquareSum::add(std::span<const double>);

double SquareSum::value() const {
    if (limbs_[3] != 0) return std::numeric_limits<double>::quiet_NaN();
    const double below =
        static_cast<double>(limbs_[1]) * 0x1p-40 + static_cast<double>(limbs_[2]) * 0x1p-90;
    return static_cast<double>(limbs_[0]) * 0x1p10 + below;
}

template <class Real>
void add_squares(HostQueue, std::span<const Real> values, SquareSum::Limbs& sum) {
    SquareSum more(sum);
    more.add(values);
    sum = more.limbs();
}

template void add_squares(HostQueue, std::span<const float>, SquareSum::Limbs&);
template void add_squares(HostQueue, std::span<const double>, SquareSum::Limbs&);

template <class Real>
void find_not_finite(HostQueue, std::span<const Real> values, std::int64_t first,
                     NotFinite& found) {
    if (found.is_there || all_finite(values.data(), std::ssize(values))) return;
    const auto at = std::ranges::find_if(values, [](Real x) { return !std::isfinite(x); });
    found = {true, first + (at - values.begin()), static_cast<double>(*at)};
}

template void find_not_finite(HostQueue, std::span<const float>, std::int64_t, NotFinite&);
template void find_not_finite(HostQueue, std::span<const double>, std::int64_t, NotFinite&);

double clipping_factor(double norm, double limit) {
    if (!std::isfinite(norm)) return std::numeric_limits<double>::quiet_NaN();
    return limit > 0.0 && norm > limit ? limit / norm : 1.0;
}

}  // namespace shardstone
