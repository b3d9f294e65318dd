// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/cluster/description.hpp"

namespace shardstone::benchmarks {

/// What one size took, again and again.
struct TimedSize {
    std::int64_t size_bytes = 0;
    std::vector<double> samples_s;
};

/// alpha + n beta.
struct Line {
    double alpha_s = 0.0;
    double beta_s_per_byte = 0.0;
    bool has_slope = true;
};

/// The line, neither figure negative, that meets the median time of the smallest size and comes
/// closest to the other medians in relative terms (least squares of fitted / measured - 1). So
/// latency stays what it is where a protocol changes on the way to large messages and no straight
/// line fits all. At least two sizes.
///
/// Where the bytes explain less than a tenth of what the largest size takes, as on a machine so
/// busy that small messages take as long as large ones, nothing can be said of a slope; then `beta`
/// is what the largest size took per byte, its latency included, and has_slope is false.
Line fit_line(std::span<const collectives::SizeTime> times);

/// The medians.
collectives::SizeCurve curve_of(std::span<const TimedSize> times);

/// A fitted line with 95 % confidence intervals by the bootstrap percentile method (B. Efron and R.
/// Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13): the line is fitted again to
/// samples drawn anew from those of each size, 400 times; they reach to the line's own figures at
/// least. The draws are the same in every run.
struct FittedLine {
    Line line;
    collectives::Interval95 alpha_s;
    collectives::Interval95 beta_s_per_byte;
};
FittedLine fit_with_intervals(std::span<const TimedSize> times);

}  // namespace shardstone::benchmarks
