// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shardstone::reference {

/// Sums whose result does not depend on the order of the terms, nor on who added which of them
/// first (why this way: reference/decisions/reproducible-sums.md).
///
/// Each term x is split into x = high + low, high a multiple of 2^-26, low of 2^-66 (what of x lies
/// below 2^-67 is rounded away, once and alike everywhere). Both words are summed in FP64, and with
/// the limits below every partial sum is a multiple of its grid under 2^53 grid steps, thus exact:
/// FP64 addition is associative there, and any all-reduce gives the same bits.
inline constexpr std::int64_t most_exact_terms = 1 << 14;

/// Largest magnitude that each of `terms` terms may have: 2^27 / terms, at most 2^25. Throws Error
/// when there are more than most_exact_terms.
double exact_term_limit(std::int64_t terms);

/// A term or a partial sum on the two grids.
struct ExactPair {
    double high = 0.0;
    double low = 0.0;

    double value() const { return high + low; }
};

/// Splits and adds one term. Throws Error when it is over the limit or not a number.
void add_exactly(double term, double limit, ExactPair& sum);

/// The same for `terms.size()` sums side by side.
void add_exactly(std::span<const float> terms, double limit, std::span<ExactPair> sums);

/// Each sum rounded to FP32. `values` has the length of `sums`.
void round_sums(std::span<const ExactPair> sums, std::span<float> values);

}  // namespace shardstone::reference
