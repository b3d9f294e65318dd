// SPDX-License-Identifier: BSD-3-Clause
// Intervals of the models of a curve whose points differ in their runs, in what they lose, or are
// one too few: what equal points would not show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "results/report/scaling_fit.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

ScalingFit fit_of(const std::vector<Record>& records, const std::string& model) {
    const auto sources = as_sources(records);
    const auto fits = scaling_fits(scaling_curves(sources).at(0));
    const auto found = std::ranges::find(fits, model, &ScalingFit::model);
    if (found == fits.end()) throw std::runtime_error("no fit of " + model);
    return *found;
}

/// Half of the interval of the logarithm of a rate, the same above as below.
double half_of(const ScalingFit& fit) {
    const double above = std::log(fit.interval.high / fit.rate);
    EXPECT_NEAR(std::log(fit.rate / fit.interval.low), above, 1e-9);
    return above;
}

// Runs d apart from the mean of their point, 2 on one rank, 4 on two and 8 on four: a deviation of
// d sqrt(14 / 11) with 11 degrees of freedom, t = 2.20099. As in scaling_fit_test.cpp the log rate
// on four changes with those of the points seen by 1 - q and q, q = 60 / 22, so that the variance
// is that of one run times 1 / 8 + (1 - q)^2 / 2 + q^2 / 4 = 3.47624. The 2 runs of the base taken
// for the 4 on two ranks would give 5.7356 d, and for the 8 on four 4.8729 d.
TEST(ScalingIntervals, CountTheRunsOfEachPoint) {
    constexpr double d = 0.01;
    const ScaledRun one{1, 1000.0, 100.0}, two{2, 1900.0, 200.0}, four{4, 3400.0, 400.0};
    const auto records = written_twice({one, two, two, four, four, four, four}, d);
    EXPECT_NEAR(half_of(fit_of(records, "Amdahl's law")), 4.62956 * d, 1e-5 * d);
}

/// Single runs on 1, 2, 4 and so on ranks, at these speed-ups.
std::vector<Record> at_speedups(const std::vector<double>& speedups) {
    std::vector<Record> records;
    int ranks = 1;
    for (const double speedup : speedups) {
        records.push_back(written_run({ranks, 1000.0 * speedup, 100.0 * ranks}));
        ranks *= 2;
    }
    return records;
}

// It goes through the base, and with its two numbers through two more points: what it misses tells
// nothing then. A third point that it sees besides the base tells how far off it is.
TEST(ScalingIntervals, OfTheUniversalLawNeedAPointMoreThanItHasNumbers) {
    const std::string law = "the universal scalability law";
    const auto few = fit_of(at_speedups({1.0, 1.9, 3.4, 5.0}), law);
    EXPECT_FALSE(few.holds.has_value());
    EXPECT_TRUE(std::isnan(few.interval.low));
    EXPECT_EQ(few.verdict, FitVerdict::no_interval);
    const auto more = fit_of(at_speedups({1.0, 1.9, 3.4, 5.0, 6.0}), law);
    EXPECT_TRUE(more.holds.has_value());
}

/// Strong scaling whose steps of 100, 50 and 25 ms lose these shares by prediction, of the last the
/// 8 % that matter. The first takes longer than predicted by 0.2 %, the second 0.1 % less.
std::vector<Record> losing(double on_one, double on_two) {
    return {run_that_loses(1, 0.1, on_one, 0.998), run_that_loses(2, 0.05, on_two, 1.001),
            run_that_loses(4, 0.025, 0.08, 0.98)};
}

/// Its two points miss their geometric mean by log(1.001 / 0.998) / 2 either way. With one degree
/// of freedom t = 12.7062, and half of the variance comes once more from each of the two.
double half_by(double squares_of_misses) {
    const double miss = std::log(1.001 / 0.998) / 2.0;
    return 12.7062 * miss * std::sqrt(squares_of_misses * (1.0 + 0.25 + 0.25));
}

// Of what is lost at the largest point the misses are four times and twice as much.
TEST(ScalingIntervals, OfTheCostModelScaledGrowWithWhatIsLost) {
    const auto fit = fit_of(losing(0.02, 0.04), "the cost model, scaled");
    EXPECT_NEAR(fit.rate, 4000.0 * std::sqrt(0.998 * 1.001), 1e-6);
    EXPECT_NEAR(half_of(fit), half_by(16.0 + 4.0), 1e-6);
}

// Where nothing is lost, a miss is no share of what is: then it is off alike everywhere.
TEST(ScalingIntervals, OfTheCostModelTakeNoShareOfNothing) {
    EXPECT_NEAR(half_of(fit_of(losing(0.0, 0.04), "the cost model, scaled")), half_by(1.0 + 1.0),
                1e-6);
}

}  // namespace
}  // namespace shardstone::validation
