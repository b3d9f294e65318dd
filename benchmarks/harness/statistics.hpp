// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace shardstone::benchmarks {

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

}  // namespace shardstone::benchmarks
