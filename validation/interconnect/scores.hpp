// SPDX-License-Identifier: BSD-3-Clause
// How much the tests say for each component being slow.
#pragma once

#include <span>
#include <vector>

#include "validation/interconnect/candidates.hpp"
#include "validation/interconnect/slowdowns.hpp"
#include "validation/interconnect/suspects.hpp"

namespace shardstone::validation {

/// One component, if it were the only one at fault among the tests that count.
struct Score {
    Component component = {};
    double log_slowdown = 0.0;
    double error = 0.0;     ///< standard error of log_slowdown
    double degrees = 0.0;   ///< of freedom of that error
    double log_odds = 0.0;  ///< of this fault against none
    /// The same with the noise of the tests alone, by which components are compared that explain
    /// the same tests: what differs among them is then what differs among their tests.
    double log_support = 0.0;
    int tests = 0;
};

struct Scores {
    std::vector<Score> of_parts = {};  ///< one for each of Candidates::of_parts
    std::vector<Score> of_pairs = {};  ///< those that may be a lead only
    double noise = 0.0;                ///< standard deviation of one test
};

/// Scores from those tests for which `counts` is set, with the noise of those for which `healthy`
/// is set. To leave out the tests of the very component that is judged keeps its fault from passing
/// for noise where there are few others (externally studentized residuals).
Scores scores_of(const Candidates& candidates, const Slowdowns& slowdowns,
                 const std::vector<bool>& counts, const std::vector<bool>& healthy,
                 const SuspicionSettings& settings);

/// Degrees of freedom of the prior for variances: a variance from m components counts as
/// robust_efficiency m degrees, the one expected from the tests as these. (Efron 2004 estimates the
/// null distribution from many like cases; Smyth 2004 moderates that for few. 4 is about what
/// Smyth's method finds where variances differ by a factor of two.)
inline constexpr double prior_degrees = 4.0;
/// Of the squared median of absolute deviations relative to the variance, for normal values.
inline constexpr double robust_efficiency = 0.37;

/// log of the Bayes factor for a slowdown against none: the ratio of two densities of the estimate,
/// both Student's t (normal for infinite degrees), the one wider by sqrt(1 + (usual / error)^2) and
/// restricted to estimates above 0. If nothing is wrong, the factor has therefore the mean 1.
/// -infinity for estimates that are not above 0.
double log_bayes_factor(double estimate, double error, double degrees, double usual);

}  // namespace shardstone::validation
