// SPDX-License-Identifier: BSD-3-Clause
// That as many samples as are said to be needed do decide, in simulated runs that take as many.
#include "validation/interconnect/samples_to_decide.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/base/random.hpp"
#include "validation/interconnect/acceptance.hpp"

namespace shardstone::validation {
namespace {

AcceptanceLimit limit_of(const std::string& statistic, double limit, bool at_least) {
    return {.quantity = "time",
            .statistic = statistic,
            .limit = limit,
            .unit = "us",
            .at_least = at_least};
}

/// 1 ... count.
std::vector<double> counting(int count) {
    std::vector<double> values;
    for (int value = 1; value <= count; ++value) values.push_back(value);
    return values;
}

/// As many quantiles of a distribution, in the middle of their shares.
template <class Quantile>
std::vector<double> typical(int count, Quantile quantile) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(quantile((i + 0.5) / count));
    return values;
}

std::int64_t further(const AcceptanceLimit& limit, const std::vector<double>& samples,
                     std::size_t limits = 1) {
    return SamplesToDecide(confidence_of_each(limits))
        .further(samples, share_limited_by(limit), limit.limit, limit.at_least);
}

/// Share of runs of so many samples, of which `draw` makes each, that decide one of so many limits.
template <class Draw>
double share_decided(const AcceptanceLimit& limit, std::int64_t count, std::size_t limits,
                     Draw draw) {
    constexpr int runs = 400;
    const RandomStream random(3, "samples to decide");
    std::uint64_t drawn = 0;
    int decided = 0;
    for (int run = 0; run < runs; ++run) {
        std::vector<double> samples(static_cast<std::size_t>(count));
        for (double& sample : samples) sample = draw(random, drawn++);
        const auto finding =
            judge_limits({&limit, 1}, {&samples, 1}, 1.0 - confidence_of_each(limits))[0];
        decided += finding.acceptance == Acceptance::inconclusive ? 0 : 1;
    }
    return static_cast<double>(decided) / runs;
}

// The share of 400 runs has a standard error of 1.5 %: 0.9 less four of them. By half of the
// samples the median of a normal distribution is told in Phi(3.24 / sqrt(2) - 1.96) = 63 %.
constexpr double least_share = 0.84, most_share_of_half = 0.75;

TEST(SamplesToDecide, DecideAQuantileInNineRunsOfTen) {
    const auto uniform = [](const RandomStream& random, std::uint64_t draw) {
        return random.uniform(draw);
    };
    const auto samples = typical(20, [](double share) { return share; });
    for (const auto& one :
         {limit_of("median", 0.65, false), limit_of("median", 0.3, true),
          limit_of("p90", 0.95, false), limit_of("p90", 0.8, false), limit_of("p90", 0.2, true)}) {
        for (const std::size_t limits : {1U, 56U}) {
            const auto total = 20 + further(one, samples, limits);
            const std::string words =
                fmt::format("{} {}: {} of {}", one.statistic, one.limit, total, limits);
            EXPECT_GE(share_decided(one, total, limits, uniform), least_share) << words;
            EXPECT_LE(share_decided(one, total / 2, limits, uniform), most_share_of_half) << words;
        }
    }
}

TEST(SamplesToDecide, DecideAMeanInNineRunsOfTen) {
    // Of -1, 1 in turn: the mean 0, and 30/29 for the variance.
    std::vector<double> samples(15, -1.0);
    samples.insert(samples.end(), 15, 1.0);
    const double deviation = std::sqrt(30.0 / 29.0);
    const auto normal = [&](const RandomStream& random, std::uint64_t draw) {
        return deviation * random.normal(draw);
    };
    for (const double limit : {0.15, -0.3}) {
        const auto one = limit_of("mean", limit, false);
        const auto total = 30 + further(one, samples);
        EXPECT_GE(share_decided(one, total, 1, normal), least_share) << limit << " by " << total;
        EXPECT_LE(share_decided(one, total / 2, 1, normal), most_share_of_half);
    }
    // A distance of a quarter of a deviation takes (1.96 + 1.28)^2 * 16 = 168 samples, and a few
    // more for Student's t.
    const auto few = 30 + further(limit_of("mean", 0.25 * deviation, false), samples);
    EXPECT_GE(few, 168);
    EXPECT_LE(few, 172);
}

// Of 16 limits each interval misses on each side by at most 0.05 / 32 = 2^-9.3: ten samples.
TEST(SamplesToDecide, AreThoseOfAnEndIfAllAreOnOneSide) {
    EXPECT_EQ(further(limit_of("median", 8.0, false), counting(7), 16), 3);
    const auto decides = [](std::size_t count) {
        const std::vector all(16, limit_of("median", 20.0, false));
        const std::vector samples(16, counting(static_cast<int>(count)));
        return judge_limits(all, samples)[0].acceptance == Acceptance::pass;
    };
    EXPECT_FALSE(decides(9));
    EXPECT_TRUE(decides(10));
    EXPECT_EQ(further(limit_of("p99", 100.0, false), counting(24)), 368 - 24);
}

TEST(SamplesToDecide, AreNoNumberOnTheEdge) {
    EXPECT_EQ(further(limit_of("median", 10.5, true), counting(20)), most_further_samples);
    EXPECT_EQ(further(limit_of("mean", 10.5, true), counting(20)), most_further_samples);
    EXPECT_EQ(needed_in_words(20, most_further_samples, 24),
              "by these samples too close to be told apart");
}

TEST(SamplesToDecide, AreTheFewestToKeepALimitWhereNothingIsKnown) {
    EXPECT_EQ(further(limit_of("median", 8.0, true), {}), 6);
    EXPECT_EQ(further(limit_of("p99", 8.0, false), {}), 368);
    EXPECT_EQ(further(limit_of("p1", 8.0, true), {}), 1);
    EXPECT_EQ(further(limit_of("p99", 8.0, true), {}), 368);
    EXPECT_EQ(further(limit_of("mean", 8.0, true), {}), 6);
}

TEST(SamplesToDecide, AreToldWithTheMostThatARunTakes) {
    EXPECT_EQ(needed_in_words(7, 0, 24), "");
    EXPECT_EQ(needed_in_words(7, 1, 24), "needs 1 more sample: give a larger --budget");
    EXPECT_EQ(needed_in_words(7, 17, 24), "needs 17 more samples: give a larger --budget");
    EXPECT_EQ(needed_in_words(7, 18, 24),
              "by these samples probably needs more than the 24 that a run takes at most");
    EXPECT_EQ(needed_in_words(7, 18, 0), "needs 18 more samples: give a larger --budget");
}

}  // namespace
}  // namespace shardstone::validation
