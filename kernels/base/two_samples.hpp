// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

namespace shardstone {

// Comparison of the means of two sets of samples, and of many such pairs at once.

/// Difference between the means of two sets of samples, assumed to be independent and normal.
struct MeanDifference {
    double difference = 0.0;  ///< mean of the second less mean of the first
    double deviation = 0.0;   ///< standard deviation of one sample; not a number if they have two
    double error = 0.0;       ///< standard error of the difference
    double degrees =
        0.0;  ///< of freedom of the deviation; infinite if it is assumed, not estimated
};

/// With one common standard deviation (Student's two-sample t), the pooled one, sqrt((S1 + S2) /
/// (n1 + n2 - 2)) for sums of squares S about the own mean, but at least `least_deviation`. Neither
/// set empty, together at least three samples.
MeanDifference mean_difference(std::span<const double> first, std::span<const double> second,
                               double least_deviation = 0.0);

/// With a standard deviation for each set (Welch, Biometrika 34, 1947): of s^2 the variance of a
/// set of n samples and v = s^2 / n that of its mean, the error is sqrt(v1 + v2). It is taken for
/// Student's t with (v1 + v2)^2 / (v1^2 / (n1 - 1) + v2^2 / (n2 - 1)) degrees of freedom, which
/// gives v1 + v2 the same mean and variance as its own distribution has (Satterthwaite 1946):
/// between the lesser n - 1 and n1 + n2 - 2, which it has for v = 0. At least two samples each.
MeanDifference mean_difference_of_two_deviations(std::span<const double> first,
                                                 std::span<const double> second);

/// With a deviation that is assumed. Neither set empty.
MeanDifference mean_difference_assuming(std::span<const double> first,
                                        std::span<const double> second, double deviation);

/// Half the width of the t interval for the difference, t(degrees) error.
double half_width(const MeanDifference& found, double confidence);

/// Probability of a difference at least as large, in either direction, if the means are equal. With
/// an error of 0: 1 for equal means, else 0.
double p_value(const MeanDifference& found);

/// The p-value up to which each of these tests counts as a discovery, so that the expected share of
/// false ones among all discoveries is at most `rate`; if nothing differs anywhere, the probability
/// of any discovery is at most `rate` (Benjamini and Hochberg 1995). It is rate k / m for m tests,
/// of which k are discoveries, and rate / m if none is. At least one test.
double discovery_level(std::span<const double> p_values, double rate);

/// Samples that each of two sets needs for half_width() to be at most `difference` > 0 with this
/// deviation; at most `most_samples_each`, which stands for "no number will do".
std::size_t samples_each(double deviation, double difference, double confidence);
inline constexpr std::size_t most_samples_each = 10000;

}  // namespace shardstone
