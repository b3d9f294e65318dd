// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are slower than their peers at work of their own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace shardstone::validation {

struct SlowRankSettings {
    /// A rank needs odds of 1 / false_alarms. The prior odds of all ranks sum to 1, so that under
    /// "all are alike" the probability of any suspect is at most this (Markov's inequality for
    /// Bayes factors, whose mean is then 1).
    double false_alarms = 1e-2;
    /// Slowdowns (time / usual time - 1) below this are healthy variation: cores of one processor
    /// differ by as much in clock and neighbours.
    double least_slowdown = 0.05;
    /// Standard deviation of the logarithm of the slowdown that a fault causes, before anything is
    /// known.
    double usual_log_slowdown = 0.3;
};

/// Of two nobody knows which is slow.
inline constexpr std::size_t least_comparable_ranks = 3;

/// One rank beside all others in one test.
struct RankJudgement {
    double time_s = 0.0;  ///< lower quartile of its turns
    double factor = 1.0;  ///< that over the median of all ranks
    double noise = 0.0;   ///< standard deviation of the logarithm of a healthy rank's factor
    double log10_odds = 0.0;
    bool suspected = false;
};

/// Judges every rank by the times of its turns, one vector each, not empty, positive. Nobody is
/// suspected among fewer than least_comparable_ranks.
///
/// A turn may be disturbed, which only makes it longer, so that of each rank the lower quartile
/// counts; a rank that lacks CPU time lacks it in every turn. The noise is the larger of two: the
/// scatter of all ranks (the smaller of 1.4826 times the median absolute deviation of the
/// logarithms, unmoved by a minority, and the standard deviation of the other ranks, surer where
/// only one is slow), and the scatter of a rank's turns over the root of their number (the median
/// over ranks). Odds are the ratio of Student t densities of the rank's logarithm with and without
/// the variance of a fault (as Wakefield 2009, doi:10.1002/gepi.20359, with t for the estimated
/// noise), times 1 / ranks.
std::vector<RankJudgement> judge_ranks(std::span<const std::vector<double>> times_s,
                                       const SlowRankSettings& settings = {});

}  // namespace shardstone::validation
