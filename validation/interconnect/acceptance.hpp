// SPDX-License-Identifier: BSD-3-Clause
// Pass, fail or inconclusive for each quantity with a limit, from confidence bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/statistics.hpp"
#include "validation/interconnect/samples_to_decide.hpp"

namespace shardstone::validation {

/// What is accepted: one line of an acceptance file.
struct AcceptanceLimit {
    std::string quantity = {};     ///< a name that the caller knows, as "rate between nodes"
    std::string statistic = {};    ///< "median", "mean", "p99": what of the quantity is limited
    std::int64_t size_bytes = -1;  ///< of the message; -1: none
    double limit = 0.0;
    std::string unit = {};
    bool at_least = false;  ///< the statistic must not be below the limit (a rate) or not above it
    std::string source = {};  ///< of the limit, as the file has it
    /// The number of the first look at its samples, of which more are taken while it is undecided
    /// (looks.hpp); 0: all of them are taken, whatever they are, and it is judged once.
    int first_look = 0;
};

enum class Acceptance : std::uint8_t { pass, fail, inconclusive };
std::string to_string(Acceptance acceptance);

/// Pass if the whole interval is on the right side of the limit, fail if it is on the other.
Acceptance compare(const Interval& interval, const AcceptanceLimit& limit);

struct AcceptanceFinding {
    AcceptanceLimit limit = {};
    Acceptance acceptance = Acceptance::inconclusive;
    double value = 0.0;      ///< of the statistic; NaN if there are too few samples for it
    Interval interval = {};  ///< at `confidence`; infinite if there are too few samples
    double confidence = 0.0;
    std::int64_t samples = 0;
    std::int64_t further = 0;  ///< samples still needed if inconclusive (samples_to_decide.hpp)
};

/// Of "median" and "p99"; nothing for "mean". Of a limit from below, as on a rate, a percentile
/// counts from above: p99 is what 99 of 100 samples reach, so that a limit on it is as strict as
/// one on the p99 of a time. Throws Error for an unknown statistic.
StatisticShare share_limited_by(const AcceptanceLimit& limit);

inline constexpr double probability_of_error = 0.05;
/// Of the interval for each of so many limits.
double confidence_of_each(std::size_t limits, double error = probability_of_error);

/// One finding per limit. `samples_of_each[i]`: what was measured of limits[i], in its unit. All
/// verdicts of a call are right together with probability 1 - `error` (Bonferroni: each interval
/// misses with probability error / limits, or with the part of that which its look has
/// (looks.hpp)). Intervals are distribution-free for the median and for
/// percentiles (order statistics, Le Boudec 2010, theorem 2.1), Student's t for the mean, cut
/// off at 0 where no sample is below it: times, rates and ratios are amounts, and an interval that
/// is cut to the values that are possible is as often right (Mandelkern 2002, "Setting confidence
/// intervals for bounded parameters", Statistical Science 17). Pass: the whole interval on the
/// right side of the limit. Throws Error for an unknown statistic or a limit that is not finite.
std::vector<AcceptanceFinding> judge_limits(std::span<const AcceptanceLimit> limits,
                                            std::span<const std::vector<double>> samples_of_each,
                                            double error = probability_of_error);

}  // namespace shardstone::validation
