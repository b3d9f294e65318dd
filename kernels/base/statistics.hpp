// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace shardstone {

// The only medians, intervals and quantiles of this program;
// benchmarks/harness/sample_statistics.py has the same rules for the scripts, held to this by a
// test. A figure that describes all samples given (median, mean, quartiles) is always there; one
// that estimates what further samples would give is refused where the samples do not support it.

struct Interval {
    double low = 0.0;
    double high = 0.0;
};

/// Middle of the sorted samples (mean of the two middle ones for an even count). Samples not empty.
double median(std::span<const double> samples);

/// Distribution-free interval for the median from order statistics (the binomial distribution of
/// how many samples lie below it; Le Boudec, "Performance Evaluation of Computer and Communication
/// Systems", theorem 2.1). Nothing when there are too few samples for `confidence`: under 6 for
/// 95 %.
std::optional<Interval> median_interval(std::span<const double> samples, double confidence = 0.95);

/// The p-quantile, 0 < p < 1; nothing when fewer than 10 samples lie beyond it on the thinner side
/// would support it, i.e. unless samples * min(p, 1 - p) >= 10.
std::optional<double> quantile(std::span<const double> samples, double p);

/// The middle half of some values.
struct Quartiles {
    double low = 0.0;
    double middle = 0.0;
    double high = 0.0;
};

/// Where a quarter, half and three quarters of these very values lie, interpolated as quantile()
/// does; the middle is the median. They describe the values and estimate nothing, so even one value
/// has them. Values not empty.
Quartiles quartiles(std::span<const double> values);

/// Samples not empty.
double mean(std::span<const double> samples);

/// Whether newer samples look like older ones: their median lies within the range of those. Of like
/// samples, whatever their distribution, two windows of five do so in five cases of six: of the
/// C(10, 5) orders, 2 C(7, 2) put three new ones outside.
bool look_alike(std::span<const double> older, std::span<const double> newer);

/// Samples that one of the two windows compared holds.
inline constexpr std::size_t steady_window = 5;

/// How many of the first samples of a series are warm-up, by the data: the first window that looks
/// like the one after it, and the other way round (of a series that falls, one low sample widens
/// the older window to hold the newer), begins the steady part. Where there are too few for two
/// windows, or no window is like its successor, at least half of the samples count: with one sample
/// none is left out, else at least the first, which also sets up what the others find ready.
std::size_t warmup_count(std::span<const double> samples);

/// The times of candidates that took turns, a vector of rounds for each: the median over rounds of
/// how a candidate compared with the others of its round (their geometric mean), times the median
/// of these means. Between rounds a virtual machine's cores come together and part, and a line
/// between them takes six times as long; a candidate that met them together more often is not the
/// faster for it.
std::vector<double> paired_medians(const std::vector<std::vector<double>>& rounds_of_each);

/// Mean of samples that are taken to be normal, their deviation (n - 1 in the divisor), and
/// Student's t interval for the mean: mean -+ t(n - 1) deviation / sqrt(n).
struct MeanEstimate {
    double mean = 0.0;
    double deviation = 0.0;
    Interval interval;
};
/// At least two samples.
MeanEstimate mean_estimate(std::span<const double> samples, double confidence = 0.95);

/// Half of that interval's width for `count` >= 2 samples of a deviation.
double half_width(double deviation, std::size_t count, double confidence = 0.95);

}  // namespace shardstone
