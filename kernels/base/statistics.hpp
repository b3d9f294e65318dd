// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace shardstone {

// The only medians, intervals and quantiles of this program;
// benchmarks/harness/sample_statistics.py has the same rules for the scripts, verified by a test. A
// figure that describes the given samples (median, mean, quartiles) always exists; one that
// estimates further samples is refused if the samples do not support it.

struct Interval {
    double low = 0.0;
    double high = 0.0;
};

/// Most that the ends of an interval lie apart, as a factor, for it to say of what order a positive
/// figure is.
inline constexpr double most_informative_factor = 10.0;

/// Whether an interval of a positive figure says so much; one that is not known does not.
bool is_informative(const Interval& interval);

/// Middle of the sorted samples (mean of the two middle ones for an even count). Samples not empty.
double median(std::span<const double> samples);

/// Distribution-free interval for the median from order statistics (the binomial distribution of
/// how many samples lie below it; Le Boudec, "Performance Evaluation of Computer and Communication
/// Systems", theorem 2.1). Nothing if there are too few samples for `confidence`: under 6 for 95 %.
std::optional<Interval> median_interval(std::span<const double> samples, double confidence = 0.95);

/// The same for the p-quantile, 0 < p < 1: each end misses it with at most (1 - confidence) / 2,
/// and is infinite where there are too few samples for that. The other end still counts.
Interval quantile_interval(std::span<const double> samples, double p, double confidence = 0.95);

/// The p-quantile, 0 < p < 1; nothing if fewer than 10 samples lie beyond it on the thinner side,
/// i.e. unless samples * min(p, 1 - p) >= 10.
std::optional<double> quantile(std::span<const double> samples, double p);

/// The middle half of some values.
struct Quartiles {
    double low = 0.0;
    double middle = 0.0;
    double high = 0.0;
};

/// Quartiles of exactly these values, interpolated as in quantile(); the middle one is the median.
/// They describe the values and estimate nothing, so that a single value suffices. Values not
/// empty.
Quartiles quartiles(std::span<const double> values);

/// Samples not empty.
double mean(std::span<const double> samples);

/// Exact interval for a probability, of which `seen` of `trials` >= 1 cases were seen: each end
/// misses it with at most (1 - confidence) / 2 (Clopper and Pearson, Biometrika 26, 1934).
Interval share_interval(std::size_t seen, std::size_t trials, double confidence = 0.95);

/// Whether newer samples look like older ones: their median lies within the range of the older
/// ones. For identically distributed samples of any distribution, two windows of five do so in five
/// cases of six: of the C(10, 5) orders, 2 C(7, 2) put three new ones outside.
bool look_alike(std::span<const double> older, std::span<const double> newer);

/// Samples in each of the two windows compared.
inline constexpr std::size_t steady_window = 5;

/// Number of warm-up samples at the start of a series, determined from the data: the first window
/// that looks like the next one, and vice versa (in a falling series, one low sample widens the
/// older window to include the newer), begins the steady part. If there are too few samples for two
/// windows, or no window is like its successor, at least half of the samples count: with one sample
/// none is left out, otherwise at least the first, which includes one-time set-up.
std::size_t warmup_count(std::span<const double> samples);

/// Times of interleaved candidates, given a vector of rounds for each: the median over rounds of
/// the ratio of a candidate to its round (the geometric mean of all candidates), times the median
/// of these means. Between rounds the placement of a virtual machine's cores changes, and a cache
/// line between distant cores takes six times as long; a candidate measured more often with close
/// cores must not appear faster.
std::vector<double> paired_medians(const std::vector<std::vector<double>>& rounds_of_each);

/// Mean of samples assumed to be normal, their standard deviation (n - 1 in the divisor), and
/// Student's t interval for the mean: mean -+ t(n - 1) deviation / sqrt(n).
struct MeanEstimate {
    double mean = 0.0;
    double deviation = 0.0;
    Interval interval;
};
/// At least two samples.
MeanEstimate mean_estimate(std::span<const double> samples, double confidence = 0.95);

/// Half of that interval's width for `count` >= 2 samples of this standard deviation.
double half_width(double deviation, std::size_t count, double confidence = 0.95);

}  // namespace shardstone
