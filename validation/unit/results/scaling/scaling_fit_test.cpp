// SPDX-License-Identifier: BSD-3-Clause
// Models of scaling on points that follow one of them, and their intervals by hand.
#include "results/report/scaling_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

const ScalingFit* fit_called(const std::vector<ScalingFit>& fits, const std::string& model) {
    const auto found = std::ranges::find(fits, model, &ScalingFit::model);
    return found == fits.end() ? nullptr : &*found;
}

std::vector<ScalingFit> fits_of(const std::vector<Record>& records) {
    const auto sources = as_sources(records);
    return scaling_fits(scaling_curves(sources).at(0));
}

/// Of the universal scalability law with contention 0.05 and coherency 0.01, times `last` at 8.
std::vector<Record> by_the_law(double last = 1.0) {
    std::vector<Record> records;
    for (const int m : {1, 2, 4, 8}) {
        const double speedup = m / (1.0 + 0.05 * (m - 1.0) + 0.01 * m * (m - 1.0));
        records.push_back(written_run({m, 1000.0 * speedup * (m == 8 ? last : 1.0), 100.0 * m}));
    }
    return records;
}

// S(2) = 1.9 gives a serial share of 2 / 1.9 - 1 = 1 / 19, and S(4) = 4 / (1 + 3 / 19) = 3.4545.
TEST(ScalingFit, OfAmdahlTakesTheSerialShareFromTheSmallerPoints) {
    const auto fits = fits_of({written_run({1, 1000.0, 100.0}), written_run({2, 1900.0, 200.0}),
                               written_run({4, 3400.0, 400.0})});
    ASSERT_EQ(fits.size(), 1U) << "two points are too few for the others";
    EXPECT_EQ(fits[0].model, "Amdahl's law");
    EXPECT_EQ(fits[0].parameters, "serial share 5.26 %");
    EXPECT_NEAR(fits[0].rate, 3454.545, 0.001);
    EXPECT_FALSE(fits[0].holds.has_value()) << "single runs have no interval";
    EXPECT_TRUE(std::isnan(fits[0].interval.low));
}

// S(2) = 0.8: 2 / 0.8 - 1 = 1.5.
TEST(ScalingFit, OfAmdahlSaysThatMoreRanksAreSlower) {
    const auto fits = fits_of({written_run({1, 1000.0, 100.0}), written_run({2, 800.0, 200.0}),
                               written_run({4, 700.0, 400.0})});
    EXPECT_EQ(fits.at(0).parameters,
              "serial share 150 %, beyond 100 %: more ranks are slower than fewer");
}

TEST(ScalingFit, OfTheUniversalLawFindsItsParameters) {
    const auto fits = fits_of(by_the_law());
    const auto* fit = fit_called(fits, "the universal scalability law");
    ASSERT_NE(fit, nullptr);
    EXPECT_EQ(fit->parameters, "contention 5.00 %, coherency 1.00 %");
    EXPECT_NEAR(fit->rate, 8000.0 / 1.91, 0.001);
    // Over m - 1 = 1 and 3, m / S - 1 is 0.07 and 0.27: the least squares are 0.88 / 10.
    EXPECT_EQ(fit_called(fits, "Amdahl's law")->parameters, "serial share 8.80 %");
}

TEST(ScalingFit, HasNotSeenTheLargestPoint) {
    EXPECT_NEAR(fit_called(fits_of(by_the_law(0.5)), "the universal scalability law")->rate,
                8000.0 / 1.91, 0.001);
}

// With s = 1 / 19 the log rate at 4 changes with those of the points seen by 1 - q and q, where
// q = 3 (1 + s) / (1 + 3 s) = 60 / 22. Two runs each d from their mean: a standard deviation of
// d sqrt(2) with 3 degrees of freedom, t = 3.18245; and half the variance at each point, so that
// the interval is t d sqrt(1 + (1 - q)^2 + q^2) = 10.7552 d.
TEST(ScalingFit, CarriesTheDeviationOfRunsIntoItsInterval) {
    const auto fits =
        fits_of(written_twice({{1, 1000.0, 100.0}, {2, 1900.0, 200.0}, {4, 3400.0, 400.0}}, 0.01));
    EXPECT_NEAR(fits[0].interval.low, 3454.545 * std::exp(-0.107552), 0.01);
    EXPECT_NEAR(fits[0].interval.high, 3454.545 * std::exp(0.107552), 0.01);
    EXPECT_EQ(fits[0].holds, std::optional(true));
    const auto narrow = fits_of(
        written_twice({{1, 1000.0, 100.0}, {2, 1900.0, 200.0}, {4, 3400.0, 400.0}}, 0.0005));
    EXPECT_EQ(narrow[0].holds, std::optional(false));
}

/// Measured rates are 0.8 and 0.9 of the predicted ones, in single runs.
std::vector<ScalingFit> predicted_too_fast() {
    const auto run = [](int ranks, double rate, double predicted_rate) {
        const double tokens = 100.0 * ranks;
        return written_run(
            {ranks, rate, tokens, {{"other", {tokens / rate, tokens / predicted_rate}}}});
    };
    return fits_of({run(1, 800.0, 1000.0), run(2, 1620.0, 1800.0), run(4, 3000.0, 3500.0)});
}

void expect_interval(const ScalingFit& fit, double rate, double half) {
    EXPECT_NEAR(fit.rate, rate, 0.001);
    EXPECT_NEAR(std::log(fit.interval.high / fit.rate), half, 1e-4);
    EXPECT_NEAR(std::log(fit.rate / fit.interval.low), half, 1e-4);
    EXPECT_EQ(fit.holds, std::optional(true));
}

// It misses them by log 0.8 and log 0.9: with two degrees of freedom, as nothing is fitted, a
// deviation of sqrt((0.223144^2 + 0.105361^2) / 2) = 0.174492, and t = 4.30265.
TEST(ScalingFit, OfTheCostModelIsJudgedByWhatItMissed) {
    const auto fits = predicted_too_fast();
    const auto* fit = fit_called(fits, "the cost model");
    ASSERT_NE(fit, nullptr);
    expect_interval(*fit, 3500.0, 4.30265 * 0.174492);
    EXPECT_EQ(fit->parameters,
              "rates measured there are 84.9 % of those predicted, geometric mean");
    EXPECT_FALSE(fit_called(fits, "Amdahl's law")->holds) << "one number for one point";
}

// The geometric mean is carried on, and the two miss that by log(0.9 / 0.8) / 2 = 0.0588915: a
// deviation of that times sqrt(2) with one degree of freedom, t = 12.7062; and once more half the
// variance comes from each of the two points.
TEST(ScalingFit, OfTheCostModelScaledCarriesOnWhatItMissed) {
    const auto fits = predicted_too_fast();
    const auto* fit = fit_called(fits, "the cost model, scaled");
    ASSERT_NE(fit, nullptr);
    expect_interval(*fit, 3500.0 * std::sqrt(0.72),
                    12.7062 * 0.0588915 * std::sqrt(2.0 * (1.0 + 0.25 + 0.25)));
}

// Of strong scaling, whose steps of 100, 50 and 25 ms lose 2, 4 and 8 % by prediction. The points
// are missed by log 0.998 and log 1.001, which is little of the whole, but of what is lost so much
// as four times that and twice that would be at the largest: a deviation of
// sqrt(((4 * 0.002002)^2 + (2 * 0.0009995)^2) / 2) = 0.0058353.
TEST(ScalingFit, OfTheCostModelMayMissMoreWhereMoreIsLost) {
    const auto fits =
        fits_of({run_that_loses(1, 0.1, 0.02, 0.998), run_that_loses(2, 0.05, 0.04, 1.001),
                 run_that_loses(4, 0.025, 0.08, 0.98)});
    const auto* fit = fit_called(fits, "the cost model");
    ASSERT_NE(fit, nullptr);
    expect_interval(*fit, 4000.0, 4.30265 * 0.0058353);
}

TEST(ScalingFit, OfTheCostModelNeedsAPredictionOfEveryPoint) {
    const auto fits = fits_of(
        {written_run({1, 800.0, 100.0, {{"other", {0.125, 0.1}}}}), written_run({2, 1620.0, 200.0}),
         written_run({4, 3000.0, 400.0, {{"other", {0.4 / 3.0, 0.4 / 3.5}}}})});
    EXPECT_EQ(fit_called(fits, "the cost model"), nullptr);
    EXPECT_EQ(fit_called(fits, "the cost model, scaled"), nullptr);
}

}  // namespace
}  // namespace shardstone::validation
