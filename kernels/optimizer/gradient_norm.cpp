// SPDX-License-Identifier: BSD-3-Clause
// Gradient norm and clipping, from sums of squares whose bits no sharding over ranks can change.
#include "kernels/optimizer/gradient_norm.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/optimizer/square_limbs.hpp"
#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/row_function.hpp"
#include "kernels/tensor/row_reduction.hpp"

namespace shardstone {

namespace {

using square_limbs::Bits;
using square_limbs::block;
using square_limbs::Parts;

struct BlockSums {
    Parts sums;
    Bits beyond;
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
        beyond += static_cast<Bits>(!(square <= square_limbs::largest_square));
        const Parts parts = square_limbs::parts_of(square);
        high += parts.high;
        middle += parts.middle;
        low += parts.low;
    }
    return {square_limbs::without_constants({high, middle, low}, static_cast<Bits>(n)), beyond};
}

template <class Real>
void add_block(const Real* x, std::int64_t n, SquareSum::Limbs& limbs) {
    const auto [sums, beyond] = block_sums(x, n);
    limbs[3] += static_cast<std::int64_t>(beyond);
    if (beyond != 0) return;  // the other sums mean nothing
    limbs[0] += static_cast<std::int64_t>(sums.high);
    limbs[1] += static_cast<std::int64_t>(sums.middle);
    limbs[2] += static_cast<std::int64_t>(sums.low);
}

template <class Real>
SHARDSTONE_ROW_FUNCTION bool all_finite(const Real* x, std::int64_t n) {
    // Zero times a number is zero, and NaN times anything else.
    return sum_of<Real>(n, [=](std::int64_t i) { return x[i] * Real(0); }) == Real(0);
}

}  // namespace

SquareSum::SquareSum(const Limbs& limbs) : limbs_(square_limbs::carried(limbs)) {}

template <class Real>
void SquareSum::add(std::span<const Real> values) {
    const auto size = static_cast<std::int64_t>(values.size());
    for (std::int64_t begin = 0; begin < size; begin += block) {
        add_block(values.data() + begin, std::min(block, size - begin), limbs_);
        limbs_ = square_limbs::carried(limbs_);
    }
}

template void SquareSum::add(std::span<const float>);
template void SquareSum::add(std::span<const double>);

double SquareSum::value() const {
    return square_limbs::value_of(limbs_);
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

void find_factors(HostQueue, const SquareSum::Limbs& squares, const GradientLimits& limits,
                  UpdateFactors& factors) {
    factors = factors_of(std::sqrt(SquareSum(squares).value()), limits);
}

}  // namespace shardstone
