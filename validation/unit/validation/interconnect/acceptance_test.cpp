// SPDX-License-Identifier: BSD-3-Clause
// Verdicts against limits, at the confidence that several of them leave each.
#include "validation/interconnect/acceptance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::validation {

namespace {

std::vector<double> counting(int first, int last) {
    std::vector<double> values;
    for (int value = first; value <= last; ++value) values.push_back(value);
    return values;
}

AcceptanceFinding judged(const AcceptanceLimit& limit, const std::vector<double>& samples,
                         int among = 1) {
    const std::vector limits(static_cast<std::size_t>(among), limit);
    const std::vector all(static_cast<std::size_t>(among), samples);
    return judge_limits(limits, all)[0];
}

AcceptanceLimit rate_of_at_least(double limit, const std::string& statistic = "median") {
    return {.quantity = "rate between nodes",
            .statistic = statistic,
            .limit = limit,
            .unit = "GB/s",
            .at_least = true};
}

AcceptanceLimit at_most(double limit, const std::string& statistic) {
    return {.quantity = "latency", .statistic = statistic, .limit = limit, .unit = "us"};
}

std::string refusal(const std::string& statistic, double limit) {
    try {
        judged(rate_of_at_least(limit, statistic), counting(1, 9));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(Acceptance, TheWholeIntervalDecides) {
    // Of 1 ... 20, the 95 % interval of the median is [6, 15] (Le Boudec 2010, table A.1).
    const auto samples = counting(1, 20);
    EXPECT_EQ(judged(rate_of_at_least(6.0), samples).acceptance, Acceptance::pass);
    EXPECT_EQ(judged(rate_of_at_least(6.1), samples).acceptance, Acceptance::inconclusive);
    EXPECT_EQ(judged(rate_of_at_least(15.0), samples).acceptance, Acceptance::inconclusive);
    EXPECT_EQ(judged(rate_of_at_least(15.1), samples).acceptance, Acceptance::fail);
    EXPECT_EQ(judged(at_most(15.0, "median"), samples).acceptance, Acceptance::pass);
    EXPECT_EQ(judged(at_most(14.9, "median"), samples).acceptance, Acceptance::inconclusive);
    EXPECT_EQ(judged(at_most(5.9, "median"), samples).acceptance, Acceptance::fail);
    const auto finding = judged(rate_of_at_least(8.0), samples);
    EXPECT_EQ(finding.value, 10.5);
    EXPECT_EQ(finding.interval.low, 6.0);
    EXPECT_EQ(finding.interval.high, 15.0);
    EXPECT_EQ(finding.samples, 20);
}

// Of rates the slow ones are the bad ones: p90 is what nine of ten reach.
TEST(Acceptance, APercentileOfARateIsOfItsSlowestSamples) {
    const auto samples = counting(1, 1000);
    const auto rate = judged(rate_of_at_least(80.0, "p90"), samples);
    EXPECT_EQ(rate.acceptance, Acceptance::pass);
    EXPECT_NEAR(rate.value, 101.0, 1.0);
    EXPECT_EQ(judged(rate_of_at_least(130.0, "p90"), samples).acceptance, Acceptance::fail);
    const auto time = judged(at_most(920.0, "p90"), samples);
    EXPECT_EQ(time.acceptance, Acceptance::pass);
    EXPECT_NEAR(time.value, 900.0, 1.0);
    EXPECT_EQ(judged(at_most(880.0, "p90"), samples).acceptance, Acceptance::fail);
    // As many as a p90 of times needs before it can be kept.
    EXPECT_EQ(judged(rate_of_at_least(80.0, "p90"), counting(500, 509)).further,
              judged(at_most(920.0, "p90"), counting(500, 509)).further);
}

TEST(Acceptance, SeveralLimitsWidenEachInterval) {
    const auto samples = counting(1, 20);
    EXPECT_EQ(judged(rate_of_at_least(6.0), samples, 1).acceptance, Acceptance::pass);
    const auto among_ten = judged(rate_of_at_least(6.0), samples, 10);
    EXPECT_EQ(among_ten.acceptance, Acceptance::inconclusive);
    EXPECT_DOUBLE_EQ(among_ten.confidence, 0.995);
}

// Mean 3, deviation 4, t(3) = 3.182: 3 -+ 6.365.
TEST(Acceptance, AMeanOfTimesIsNotBelowZero) {
    const auto finding = judged(at_most(10.0, "mean"), {1.0, 1.0, 1.0, 9.0});
    EXPECT_EQ(finding.value, 3.0);
    EXPECT_EQ(finding.interval.low, 0.0);
    EXPECT_NEAR(finding.interval.high, 9.3649, 1e-4);
    EXPECT_NEAR(judged(at_most(10.0, "mean"), {-1.0, 1.0, 3.0, 9.0}).interval.low, -3.8749, 1e-4)
        << "not of what may be negative";
}

TEST(Acceptance, APercentileNeedsItsSamples) {
    // The largest of n exceeds the 99 % quantile with probability 1 - 0.99^n: 97.5 % from 368 on.
    const auto few = judged(at_most(1000.0, "p99"), counting(1, 367));
    EXPECT_EQ(few.acceptance, Acceptance::inconclusive);
    EXPECT_TRUE(std::isnan(few.value));
    EXPECT_TRUE(std::isinf(few.interval.high));
    EXPECT_EQ(judged(at_most(1000.0, "p99"), counting(1, 368)).acceptance, Acceptance::pass);
    // Far too slow is seen with fewer.
    EXPECT_EQ(judged(at_most(100.0, "p99"), counting(1, 200)).acceptance, Acceptance::fail);
}

TEST(Acceptance, BadLimitsAreRefused) {
    EXPECT_EQ(refusal("mode", 1.0),
              "unknown statistic 'mode': use median, mean or a percentile as p99");
    EXPECT_EQ(refusal("p100", 1.0),
              "unknown statistic 'p100': use median, mean or a percentile as p99");
    EXPECT_EQ(refusal("p9x", 1.0),
              "unknown statistic 'p9x': use median, mean or a percentile as p99");
    EXPECT_EQ(refusal("mean", std::nan("")), "the limit nan of rate between nodes is no number");
    EXPECT_EQ(refusal("p99.5", 1.0), "");
}

TEST(Acceptance, WrongVerdictsAreAsRareAsPromised) {
    // 20 limits that are met exactly: any pass or fail is wrong, in 5 % of all calls at most. Of
    // 200 calls with 5 %, more than 21 are wrong with probability 1e-4 (binomial).
    const RandomStream random(11, "acceptance");
    const std::vector limits(20, at_most(0.0, "median"));
    int wrong = 0;
    std::uint64_t drawn = 0;
    for (int call = 0; call < 200; ++call) {
        std::vector<std::vector<double>> samples(20, std::vector<double>(50));
        for (auto& some : samples) {
            for (double& sample : some) sample = random.normal(drawn++);
        }
        bool right = true;
        for (const auto& finding : judge_limits(limits, samples)) {
            right = right && finding.acceptance == Acceptance::inconclusive;
        }
        wrong += right ? 0 : 1;
    }
    EXPECT_LE(wrong, 21);
}

}  // namespace shardstone::validation
