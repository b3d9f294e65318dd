// SPDX-License-Identifier: BSD-3-Clause
// Times of pair tests relative to what is usual for their path, one value per test.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

/// All times of one test, reduced.
struct Slowdown {
    PairTest test = {};
    Path path = Path::same_leaf;
    double log_time = 0.0;  ///< logarithm of the median over the entries of their median time
    double value = 0.0;     ///< log_time less the median over the tests it is compared with
    int entries = 0;        ///< how often it was tested, at different times
};

struct Slowdowns {
    std::vector<Slowdown> of_tests = {};  ///< in the order of sender, receiver, alone, loopback
    double entry_noise = 0.0;             ///< standard deviation of one entry, from the repetitions
    double repetition_error = 0.0;        ///< standard error of a test, from the repetitions
    std::int64_t incomparable = 0;        ///< tests left out, see Suspicion
};

/// Tests are compared with those of the same path that ran in the same way (alone or not).
/// Repetitions are the entries of a test (PairTime) if most tests have at least two, else the times
/// within one.
Slowdowns slowdowns_of(std::span<const Place> places, std::span<const PairTime> times_of_one_size);

/// Sets the values again, relative to the medians over those tests that are `healthy` (one flag per
/// test) where at least least_comparable are, else over all.
void compare_with_healthy(Slowdowns& slowdowns, const std::vector<bool>& healthy);
inline constexpr std::size_t least_comparable = 3;

/// Standard deviation of normal values from the median of their absolute deviations about 0.
double robust_deviation(std::vector<double> deviations);

}  // namespace shardstone::validation
