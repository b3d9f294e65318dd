// SPDX-License-Identifier: BSD-3-Clause
// What breaks when arithmetic that must be in FP32 is not, kernel by kernel: each planted on
// purpose, and each must leave the bound that the product keeps. (Wrong derivatives are planted in
// validation/unit/kernels.)
#include <gtest/gtest.h>

#include <algorithm>

#include "validation/numerics/kernels/cross_entropy_bounds.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::validation {
namespace {

float in_bf16(double value) {
    return static_cast<float>(bf16(static_cast<float>(value)));
}

const KernelOutput& named(const std::vector<KernelOutput>& outputs, const std::string& name) {
    return *std::ranges::find(outputs, name, &KernelOutput::output);
}

Verdict verdict_on(const KernelOutput& output) {
    return judge_kernels({error_of(output)}, {output.storage}, "planted").verdict;
}

TEST(Kernels, OfTheProductPassInEveryStorageType) {
    const auto errors = kernel_errors();
    for (const ElementType storage : kernel_storages()) {
        const PolicyFinding finding =
            judge_kernels(errors, {storage}, std::string(to_string(storage)));
        EXPECT_EQ(finding.verdict, Verdict::pass) << finding.subject << ": " << finding.worst;
        EXPECT_GT(finding.value, 0.01) << "a bound that is never neared shows nothing";
    }
}

TEST(Kernels, WithoutCoverageAreUndecided) {
    EXPECT_EQ(judge_kernels({}, {ElementType::fp8_e4m3}, "fp8").verdict, Verdict::undecided);
}

TEST(Kernels, ErrorsAreInUnitsInTheLastPlaceOfTheType) {
    const KernelOutput output{"made up",
                              "out",
                              ElementType::bf16,
                              ElementType::bf16,
                              {1.0, 1.0078125, 2.03125},
                              {1.0, 1.0, 2.0},
                              {1.0, 1.0, 0.0625}};
    const KernelError error = error_of(output);
    EXPECT_EQ(error.median_ulp, 1.0);  // 2^-7 at 1
    EXPECT_EQ(error.max_ulp, 2.0);     // 2^-5 at 2
    EXPECT_EQ(error.share_of_bound, 0.5);
}

// d_weight = d_out^T x summed over 37 positions, the running sum rounded to BF16 at every addition.
TEST(PlantedKernel, ProductWithBf16AccumulationFails) {
    constexpr Size n = 37, inputs = 29, outputs = 300;
    const auto all = linear_outputs(ElementType::bf16);
    KernelOutput planted = named(all, "d_weight");
    ASSERT_EQ(verdict_on(planted), Verdict::pass);
    const Values x = stored<bf16>(random_values(n * inputs, "x"));
    const Values d_out = stored<bf16>(random_values(n * outputs, "d_out"));
    for (Size o = 0; o < outputs; ++o) {
        for (Size i = 0; i < inputs; ++i) {
            float sum = 1.0F;  // what the gradient held before
            for (Size r = 0; r < n; ++r)
                sum = in_bf16(sum + d_out[r * outputs + o] * x[r * inputs + i]);
            planted.actual[o * inputs + i] = sum;
        }
    }
    EXPECT_EQ(verdict_on(planted), Verdict::fail);
    EXPECT_GT(planted.share_of_bound(), 10.0);
}

// The same, kept in BF16 only at the end: one rounding of the sum is already too much for
// gradients, which are in FP32.
TEST(PlantedKernel, GradientRoundedToBf16Fails) {
    const auto all = linear_outputs(ElementType::bf16);
    KernelOutput planted = named(all, "d_weight");
    for (double& value : planted.actual) value = in_bf16(value);
    EXPECT_EQ(verdict_on(planted), Verdict::fail);
}

// Exponentials, their sum and its logarithm in BF16.
TEST(PlantedKernel, SoftmaxInBf16Fails) {
    using Case = CrossEntropyCase<bf16>;
    const Case of;
    KernelOutput planted = named(cross_entropy_outputs(ElementType::bf16), "d_logits");
    ASSERT_EQ(verdict_on(planted), Verdict::pass);
    for (Size r = 0; r < Case::n; ++r) {
        const auto target = of.targets[static_cast<std::size_t>(r)];
        const double* row = of.logits.data() + r * Case::classes;
        const double highest = *std::max_element(row, row + Case::classes);
        float sum = 0.0F;
        for (Size c = 0; c < Case::classes; ++c)
            sum = in_bf16(sum + in_bf16(std::exp(row[c] - highest)));
        for (Size c = 0; c < Case::classes; ++c) {
            const double p = in_bf16(in_bf16(std::exp(row[c] - highest)) / sum);
            const double hit = c == target ? 1.0 : 0.0;
            planted.actual[r * Case::classes + c] =
                target < 0 ? 0.0 : in_bf16(Case::scale * (p - hit));
        }
    }
    EXPECT_EQ(verdict_on(planted), Verdict::fail);
}

// The residual stream stored narrow: every layer adds to it.
TEST(PlantedKernel, ResidualStreamInBf16Fails) {
    KernelOutput planted = residual_outputs(ElementType::bf16).front();
    ASSERT_EQ(verdict_on(planted), Verdict::pass);
    for (double& value : planted.actual) value = in_bf16(value);
    EXPECT_EQ(verdict_on(planted), Verdict::fail);
}

TEST(PlantedKernel, NotANumberFails) {
    KernelOutput planted = residual_outputs(ElementType::fp32).front();
    planted.actual.front() = std::nan("");
    EXPECT_EQ(verdict_on(planted), Verdict::fail);
}

}  // namespace
}  // namespace shardstone::validation
