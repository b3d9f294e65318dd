// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shardstone {

/// Sums whose result depends neither on the order of the terms nor on their grouping among ranks
/// (rationale: reference/decisions/reproducible-sums.md).
///
/// Each term x is split into x = high + low, high a multiple of 2^-26, low of 2^-66 (the part of x
/// below the low grid is rounded to it, by up to 2^-67, once and identically everywhere: a double
/// under 2^-14 in magnitude loses bits there, a float under 2^-43). Both words are summed in FP64,
/// and with the limits below every partial sum is a multiple of its grid under 2^53 grid steps,
/// thus exact: FP64 addition is associative there, and any all-reduce gives bitwise the same
/// result.
inline constexpr std::int64_t most_exact_terms = 1 << 14;

/// Largest magnitude that each of `terms` terms may have: 2^27 / terms, at most 2^25. Throws Error
/// if there are more than most_exact_terms.
double exact_term_limit(std::int64_t terms);

/// A term or a partial sum on the two grids.
struct ExactPair {
    double high = 0.0;
    double low = 0.0;

    constexpr double value() const { return high + low; }
};

namespace detail {

// Adding 1.5 * 2^(52 - g) to an x under 2^(51 - g) lands in [2^(52-g), 2^(53-g)), where FP64 has a
// spacing of 2^-g: the sum is x rounded to the grid, and taking the constant off again is exact.
inline constexpr double to_high_grid = 0x1.8p26;  // grid 2^-26, terms to 2^25
inline constexpr double to_low_grid = 0x1.8p-14;  // grid 2^-66, remainders to 2^-15 (<= 2^-27)

/// A term within the limit. Also for kernels on a GPU: there is no product that could be fused.
constexpr void add_split(double term, ExactPair& sum) {
    const double high = (term + to_high_grid) - to_high_grid;
    const double low = ((term - high) + to_low_grid) - to_low_grid;
    sum.high += high;
    sum.low += low;
}

}  // namespace detail

/// Splits and adds one term. Throws Error if it exceeds the limit or is a NaN.
void add_exactly(double term, double limit, ExactPair& sum);

/// The same for `terms.size()` sums side by side; Real is float or double.
template <class Real>
void add_exactly(std::span<const Real> terms, double limit, std::span<ExactPair> sums);

/// Each sum, rounded once to FP64 and from there to Real. `values` has the length of `sums`.
template <class Real>
void round_sums(std::span<const ExactPair> sums, std::span<Real> values);

}  // namespace shardstone
