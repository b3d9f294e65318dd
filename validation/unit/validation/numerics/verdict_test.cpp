// SPDX-License-Identifier: BSD-3-Clause
// Verdicts from whole intervals, with the number of samples still missing where they are open.
#include "validation/numerics/verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/kernels/kernel_benchmark.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::validation {
namespace {

constexpr Interval allowed{-1.0, 1.0};

TEST(MeanEstimate, IsStudents) {
    // t(2; 97.5 %) = 4.302653; mean 2, deviation 1.
    const std::vector<double> samples{1.0, 2.0, 3.0};
    const auto estimate = mean_estimate(samples);
    EXPECT_EQ(estimate.mean, 2.0);
    EXPECT_EQ(estimate.deviation, 1.0);
    EXPECT_NEAR(estimate.interval.high - 2.0, 4.302653 / std::sqrt(3.0), 1e-6);
    EXPECT_NEAR(estimate.interval.low - 2.0, -4.302653 / std::sqrt(3.0), 1e-6);
}

TEST(Verdict, FollowsFromTheWholeInterval) {
    EXPECT_EQ(judge({-0.5, 1.0}, allowed), Verdict::pass);
    EXPECT_EQ(judge({-0.5, 1.1}, allowed), Verdict::undecided);
    EXPECT_EQ(judge({-2.0, 2.0}, allowed), Verdict::undecided);
    EXPECT_EQ(judge({1.1, 2.0}, allowed), Verdict::fail);
    EXPECT_EQ(judge({-2.0, -1.1}, allowed), Verdict::fail);
    EXPECT_EQ(judge({std::nan(""), std::nan("")}, allowed), Verdict::fail);
}

TEST(Verdict, OfAValueThatIsNoEstimate) {
    EXPECT_EQ(judged_against(1.0, 1.0, {}).verdict, Verdict::pass);
    EXPECT_EQ(judged_against(1.01, 1.0, {}).verdict, Verdict::fail);
    EXPECT_EQ(judged_against(std::nan(""), 1.0, {}).verdict, Verdict::fail);
}

// Mean 0.5, deviation 1: t(n - 1) / sqrt(n) <= 0.5 from n = 18 on (2.1098 / 4.243 = 0.497; for 17
// 2.1199 / 4.123 = 0.514). The number is the same on the other side of the edge.
TEST(Verdict, SaysHowManySamplesAreMissing) {
    const double spread = 1.0 / std::sqrt(2.0);
    const std::vector<double> inside{0.5 - spread, 0.5 + spread};
    const std::vector<double> outside{1.5 - spread, 1.5 + spread};
    EXPECT_EQ(further_samples(inside, allowed), 16);
    EXPECT_EQ(further_samples(outside, allowed), 16);
    EXPECT_EQ(further_samples(std::vector<double>{0.1, 0.1, 0.1}, allowed), 0);
    EXPECT_EQ(further_samples(std::vector<double>{0.0, 2.0}, allowed), most_samples);
}

TEST(Verdict, TheWorstOfSeveral) {
    PolicyFinding good, bad, open, more_open;
    good.verdict = Verdict::pass;
    bad.verdict = Verdict::fail;
    open.further = 3;
    more_open.further = 7;
    EXPECT_EQ(worst_of({good, open, bad, more_open}).verdict, Verdict::fail);
    EXPECT_EQ(worst_of({open, more_open, good}).further, 7);
    EXPECT_EQ(verdict_text(more_open), "undecided, 7 more seeds");
    EXPECT_EQ(verdict_text(bad), "fail");
}

KernelError error_at(const char* kernel, ElementType storage, double share_of_bound) {
    KernelError error;
    error.kernel = kernel;
    error.storage = storage;
    error.share_of_bound = share_of_bound;
    return error;
}

TEST(KernelCheck, FailsBeyondTheBoundAndWhereThereIsNoOracle) {
    const std::vector<KernelError> errors{error_at("GELU forward", ElementType::fp32, 0.9),
                                          error_at("GELU backward", ElementType::fp32, 1.1),
                                          error_at("GELU forward", ElementType::bf16, NAN)};
    EXPECT_TRUE(kernel_check(errors, "GELU forward", ElementType::fp32).passed);
    EXPECT_FALSE(kernel_check(errors, "GELU", ElementType::fp32).passed);
    EXPECT_FALSE(kernel_check(errors, "GELU forward", ElementType::bf16).passed);
    EXPECT_FALSE(kernel_check(errors, "GELU forward", ElementType::fp16).passed);
}

TEST(KernelCheck, EveryMeasuredKernelWithAnOraclePasses) {
    const auto errors = kernel_errors();
    for (const auto& kernel : benchmarks::kernel_benchmarks()) {
        if (kernel.oracle.empty()) continue;
        const auto check = kernel_check(errors, kernel.oracle, kernel.storage);
        EXPECT_TRUE(check.passed) << kernel.name << ": " << check.detail;
    }
}

}  // namespace
}  // namespace shardstone::validation
