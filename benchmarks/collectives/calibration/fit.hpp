// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/cluster/description.hpp"

namespace shardstone::benchmarks {

/// Repeated times of one size.
struct TimedSize {
    std::int64_t size_bytes = 0;
    std::vector<double> samples_s;
    /// How many of them, in order, each of several rounds took: samples of a round have its
    /// conditions in common. None: all are of one.
    std::vector<std::size_t> of_rounds = {};
};

/// alpha + n beta.
struct Line {
    double alpha_s = 0.0;
    double beta_s_per_byte = 0.0;
    bool has_slope = true;
};

/// The line, with non-negative alpha and beta, through the median time of the smallest size that is
/// closest to the other medians in relative terms (least squares of fitted / measured - 1). Thus
/// the latency remains correct if the protocol changes for large messages and no straight line fits
/// all sizes. At least two sizes.
///
/// If the bytes explain less than a tenth of the time of the largest size, as on a machine so busy
/// that small messages take as long as large ones, the slope is undetermined; then `beta` is the
/// time of the largest size per byte, including its latency, and has_slope is false.
Line fit_line(std::span<const collectives::SizeTime> times);

/// The median times by size.
collectives::SizeCurve curve_of(std::span<const TimedSize> times);

/// A fitted line with 95 % confidence intervals by the bootstrap percentile method (B. Efron and R.
/// Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13): the line is refitted to
/// samples redrawn from those of each size, 400 times; of several rounds, rounds are redrawn and
/// then samples within each (two-stage bootstrap, A. Davison and D. Hinkley, "Bootstrap Methods",
/// 1997, section 3.8), so that what differs from round to round counts. The intervals always
/// include the line's own figures. The draws are the same in every run.
struct FittedLine {
    Line line;
    collectives::Interval95 alpha_s;
    collectives::Interval95 beta_s_per_byte;
};
FittedLine fit_with_intervals(std::span<const TimedSize> times);

}  // namespace shardstone::benchmarks
