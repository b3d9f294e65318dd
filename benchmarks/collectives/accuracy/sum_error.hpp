// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "benchmarks/collectives/accuracy/inputs.hpp"

namespace shardstone::benchmarks {

/// Errors of sums, in units in the last place (ulp) of the type at the exact sum, and their bound.
///
/// Every addition returns (a + b)(1 + d), |d| <= u, the unit roundoff of the type: by IEEE 754 in
/// FP64 and FP32; likewise for the narrow types, which are added in FP32 and rounded once to the
/// type, since that double rounding is innocuous if FP32 has at least 2 p + 2 bits for p bits of
/// the type (S. Figueroa, "When is double rounding innocuous?", SIGNUM 1995); there is no
/// underflow, since sums in the subnormal range are exact. An executor that keeps partial sums in
/// FP32 and rounds to the type at the end rounds less often. A contribution that passes through n
/// additions reaches the result times at most n such factors, so that
///
///     |error| <= ((1 + u)^n - 1) sum |x_i|,   n the additions on the longest path (depth.hpp).
///
/// That is N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, section
/// 4.2, equations (4.2) to (4.4), before (1 + u)^n - 1 is simplified to n u / (1 - n u), which
/// needs n u < 1: FP8 does not guarantee that. Inputs are positive, so sum |x_i| is the exact sum.
/// Integers are exact: their bound is 0.
struct SumError {
    double max_ulp = 0.0;
    double squares_ulp2 = 0.0;  ///< sum of the squares
    std::int64_t elements = 0;
    double bound_ulp = 0.0;       ///< maximum over the elements
    double share_of_bound = 0.0;  ///< largest error / bound of an element; above 1: violated
};

/// Adds the errors of `result` (as many elements of `type` as there are sums), computed with
/// `depth` additions. NaNs count as infinite errors.
void add_errors(ElementType type, const void* result, std::span<const SumInputs::Exact> exact,
                int depth, SumError& error);

}  // namespace shardstone::benchmarks
