// SPDX-License-Identifier: BSD-3-Clause
// Noise scale and critical batch size are recovered from made-up data for which they are known.
#include "benchmarks/training/noise_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

using namespace benchmarks;

constexpr std::size_t dimensions = 50;
constexpr double deviation = 2.0;  ///< of each component of one sample's gradient
constexpr int small = 2, big = 16;

/// The true gradient has all components 1.
constexpr double true_square = dimensions;
constexpr double true_trace = dimensions * deviation * deviation;

/// A pair of gradients that are what the estimator assumes: noise falls with the root of the batch.
GradientLengths draw(const RandomStream& random, std::uint64_t pair) {
    constexpr int parts = big / small;
    GradientLengths lengths;
    std::vector<double> sum(dimensions);
    for (int part = 0; part < parts; ++part) {
        for (std::size_t d = 0; d < dimensions; ++d) {
            const auto at = (pair * parts + static_cast<std::uint64_t>(part)) * dimensions + d;
            const double g = 1.0 + deviation / std::sqrt(small) * random.normal(at);
            lengths.small_square += g * g / parts;
            sum[d] += g / parts;
        }
    }
    for (const double g : sum) lengths.big_square += g * g;
    return lengths;
}

std::vector<GradientLengths> draws(int seed, int pairs) {
    const RandomStream random(static_cast<std::uint64_t>(seed), "gradients");
    std::vector<GradientLengths> all;
    for (int i = 0; i < pairs; ++i) all.push_back(draw(random, static_cast<std::uint64_t>(i)));
    return all;
}

TEST(NoiseScale, IsThatOfKnownNoise) {
    const NoiseScale noise = noise_scale(draws(1, 20000), small, big);
    // Standard errors over the pairs: 0.1 % of the square and 0.13 % of the trace; five of them.
    EXPECT_NEAR(noise.gradient_square / true_square, 1.0, 0.01);
    EXPECT_NEAR(noise.trace / true_trace, 1.0, 0.01);
    EXPECT_NEAR(noise.scale, deviation * deviation, 0.05);
}

TEST(NoiseScale, LengthsAloneWouldBeBiased) {
    double ratio = 0.0;
    for (const GradientLengths& pair : draws(1, 1000)) ratio += pair.big_square / 1000.0;
    EXPECT_GT(ratio / true_square, 1.2);  // 1 + trace / (big square) = 1.25
}

/// Of 400 intervals of 95 %, 380 +- 4.4 should hold the truth; the jackknife is approximate.
TEST(NoiseScale, IntervalHoldsTheTruthAsOftenAsItSays) {
    int holds = 0;
    for (int seed = 0; seed < 400; ++seed) {
        const NoiseScale noise = noise_scale(draws(seed, 16), small, big);
        const double truth = deviation * deviation;
        holds += noise.interval.low <= truth && truth <= noise.interval.high ? 1 : 0;
    }
    EXPECT_GE(holds, 360);
    EXPECT_LE(holds, 397);
}

TEST(TradeOff, IsFoundExactlyWhereItHolds) {
    const std::vector<double> batches{4, 8, 32, 128};
    std::vector<double> steps;
    for (const double batch : batches) steps.push_back(120.0 + 3000.0 / batch);
    const TradeOff fit = fit_trade_off(batches, steps);
    EXPECT_NEAR(fit.least_steps, 120.0, 1e-8);
    EXPECT_NEAR(fit.least_samples, 3000.0, 1e-7);
    EXPECT_NEAR(fit.critical_batch(), 25.0, 1e-9);
    EXPECT_NEAR(fit.steps(25.0), 240.0, 1e-8);
}

}  // namespace
}  // namespace shardstone::validation
