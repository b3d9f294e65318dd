// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/report/scaling_curve.hpp"

namespace shardstone::results {

/// Most that the ends of an interval lie apart, as a factor, for a rate in it to speak for a model.
/// The ranks of a study double from point to point: an interval wider than a factor of 2 can hold
/// both the rate of perfect scaling and that of none at all, so that a model that gives it has said
/// nothing that a measurement could bear out. A rate outside of it is a miss all the same.
inline constexpr double most_interval_factor = 2.0;

/// What is to be said of the measured rate.
enum class FitVerdict : std::uint8_t { held, missed, disturbed, too_wide, no_interval };

/// "held", "missed", "cannot be judged: disturbed", ...
std::string to_string(FitVerdict verdict);

/// What a model of scaling, fitted to all points of a curve but the largest, says of that one.
struct ScalingFit {
    std::string model;          ///< "Amdahl's law"
    std::string parameters;     ///< "serial share 2.1 %"
    double rate = 0.0;          ///< tokens/s predicted for the largest point
    Interval interval;          ///< 95 %, for the mean of as many runs as that point has
    std::optional<bool> holds;  ///< whether the measured rate lies in it, if there is one
    /// That in words, where it may be judged at all: not from a curve with a disturbed point.
    FitVerdict verdict = FitVerdict::no_interval;
};

/// The models that the curve has enough points for, each judged on the largest point, which it has
/// not seen. With m the ratio of ranks to the base's, S the speed-up:
///   Amdahl (1967)   S = m / (1 + s (m - 1)); s the serial share of the base's step, by least
///                   squares of m / S - 1 over m - 1: two points besides the largest
///   universal scalability law (Gunther 2007)   S = m / (1 + s (m - 1) + k m (m - 1)): three
///   cost model      the predicted rate as it is: one, and a table gap in all records
///   the same, scaled by the geometric mean of measured over predicted rates of the points seen
/// The interval is Student's t, of logarithms of rates, to first order: the larger of that by the
/// deviation of runs about their points (pooled; of the runs seen and those to be predicted), and,
/// where the model has fewer numbers to fit than points, that by the deviation of the points seen
/// about the model. With one such point more the latter is wide (t is 12.7), as it must be: little
/// is known then of what the model lacks. Not numbers where there is neither. The cost model errs
/// in what it predicts besides useful passes at least as much: where that is 2 % of the step on 8
/// ranks and 8 % on 32 (strong scaling), a miss of 0.2 % there may be one of 0.8 % here. So its
/// deviation about the points is the larger of that as if it were off alike everywhere, and that in
/// proportion to the predicted share of what is lost.
std::vector<ScalingFit> scaling_fits(const ScalingCurve& curve);

}  // namespace shardstone::results
