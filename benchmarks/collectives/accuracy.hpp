// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "kernels/base/element_type.hpp"

namespace shardstone::benchmarks {

/// How well an all-reduce adds up in one element type, and whether it always gives the same bits.
/// Equal on all ranks.
///
/// The bound: every addition returns (a + b)(1 + d), |d| <= u, the unit roundoff of the type (also
/// where it is done in FP32 and rounded once: see parts_test.cpp; and no underflow, since sums in
/// the subnormal range are exact). A contribution that passes through n additions reaches the
/// result times at most n such factors, so that |error| <= ((1 + u)^n - 1) sum |x_i| with n the
/// depth of the deepest. That is Higham's gamma_n = n u / (1 - n u) bound (Accuracy and Stability
/// of Numerical Algorithms, 2nd ed., section 4.2), before the step that needs n u < 1, which FP8
/// does not grant. Integers are exact: their bound is 0.
struct SumAccuracy {
    std::string algorithm;
    ElementType type = ElementType::fp32;
    int ranks = 1;
    std::int64_t count = 0;
    int depth = 0;               ///< additions on the longest path (accuracy_depth.hpp)
    bool depth_is_seen = false;  ///< it is the schedule's; otherwise P - 1
    // Errors in units in the last place (ulp) that the type has at the exact sum; the worst rank's.
    double max_error_ulp = 0.0;
    double rms_error_ulp = 0.0;
    double bound_ulp = 0.0;       ///< of the element where it is most
    double share_of_bound = 0.0;  ///< the largest error / bound of an element
    bool same_in_all_runs = true;
    bool same_on_all_ranks = true;
    std::uint64_t digest = 0;  ///< of rank 0's bits in the first run

    bool within_bound() const { return share_of_bound <= 1.0; }
    bool passed() const { return within_bound() && same_in_all_runs && same_on_all_ranks; }
};

/// What is to be measured: every algorithm in every type.
struct AccuracyRequest {
    std::vector<std::string> algorithms;  ///< for all_reduce
    std::vector<ElementType> types;
    std::int64_t count = 4096;  ///< elements
    int runs = 3;               ///< of each, on equal inputs
};

/// Collective; calls `measured` (on every rank) after each. By type, then algorithm. Throws Error
/// where the type cannot hold sums over so many ranks.
std::vector<SumAccuracy> measure_accuracy(
    collectives::Communicator& communicator, const AccuracyRequest& request,
    const std::function<void(const SumAccuracy&)>& measured = [](const SumAccuracy&) {});

}  // namespace shardstone::benchmarks
