// SPDX-License-Identifier: BSD-3-Clause
// The gradient study passes the precision policies on offer and fails each planted shortcut.
#include "validation/numerics/gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// Initial weights of the smallest model, three batches.
GradientStudy& study() {
    static GradientStudy made = [] {
        GradientPoint point = gradient_point(world().split(world().rank()), gpt_preset("nano"), 0);
        point.batches.resize(3);
        return GradientStudy(std::move(point));
    }();
    return made;
}

PolicyFinding judged(const GradientOf& gradient, double roundoff) {
    return judge_gradients(study().compare("planted", gradient, roundoff));
}

TEST(Gradients, PoliciesOfTheProductDoNotFail) {
    for (const Precision& policy : precisions()) {
        if (policy.fp64) continue;  // what they are held against
        const PolicyFinding finding = judged(gradient_under(policy), storage_roundoff(policy));
        EXPECT_NE(finding.verdict, Verdict::fail) << policy.name << ": " << finding.worst;
        EXPECT_GT(finding.value, 0.05) << "a bound that is never neared shows nothing";
    }
}

TEST(Gradients, TellNormCosineAndDepth) {
    const auto bf16 = find_precision("bf16");
    const auto comparison =
        study().compare(bf16.name, gradient_under(bf16), storage_roundoff(bf16));
    std::int64_t deepest = -1;
    for (const TensorGradient& tensor : comparison.tensors) {
        EXPECT_GT(tensor.relative_norm, 1e-4) << tensor.tensor;
        EXPECT_LT(tensor.relative_norm, 0.1) << tensor.tensor;
        EXPECT_GT(tensor.cosine, 0.99) << tensor.tensor;
        EXPECT_NEAR(tensor.to_fp32 / tensor.relative_norm, 1.0, 0.01) << tensor.tensor;
        deepest = std::max(deepest, tensor.layer);
    }
    EXPECT_EQ(deepest, 1);
    const auto fp32 = study().compare("fp32", gradient_under({}), 0.0);
    for (const TensorGradient& tensor : fp32.tensors) {
        EXPECT_LT(tensor.relative_norm, 1e-5) << tensor.tensor;
        EXPECT_EQ(tensor.to_fp32, 0.0);
    }
}

// Narrow storage passed off as FP32.
TEST(PlantedGradient, Bf16InPlaceOfFp32Fails) {
    EXPECT_EQ(judged(gradient_under(find_precision("bf16")), 0.0).verdict, Verdict::fail);
}

/// Sums over positions rounded to BF16 at every addition; each term by a pass of its own.
std::vector<double> accumulated_in_bf16(const GradientPoint& point, std::span<const double> weights,
                                        const oracle::MicroBatch& batch) {
    const GradientOf term = gradient_under(Precision{});
    const auto positions = batch.targets.size();
    std::vector<double> sums(weights.size());
    oracle::MicroBatch one = batch;
    for (std::size_t position = 0; position < positions; ++position) {
        std::ranges::fill(one.targets, -1);
        one.targets[position] = batch.targets[position];
        const auto gradient = term(point, weights, one);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const double sum = sums[i] + gradient[i] / static_cast<double>(positions);
            sums[i] = static_cast<float>(bf16(static_cast<float>(sum)));
        }
    }
    return sums;
}

// The policy claims BF16 storage, so it has the whole allowance of that.
TEST(PlantedGradient, Bf16AccumulationFails) {
    const PolicyFinding finding =
        judged(accumulated_in_bf16, storage_roundoff(find_precision("bf16")));
    EXPECT_EQ(finding.verdict, Verdict::fail) << finding.value << " " << finding.worst;
}

// Gradients of a loss scaled by 2^-30 lie below 2^-24, the least that FP16 holds.
TEST(PlantedGradient, Fp16WithATooSmallLossScaleFails) {
    Precision planted = find_precision("fp16-static");
    planted.scaling.initial = 0x1p-30;
    const auto comparison =
        study().compare(planted.name, gradient_under(planted), storage_roundoff(planted));
    EXPECT_EQ(judge_gradients(comparison).verdict, Verdict::fail);
    EXPECT_EQ(comparison.tensors.front().cosine, 0.0) << "the gradient vanishes";
}

TEST(Gradients, SurviveTheWayBetweenRanks) {
    const auto sent = study().compare("fp32", gradient_under({}), 0.0);
    const auto numbers = numbers_of(sent);
    const auto received =
        from_numbers(numbers, gpt_preset("nano"), {sent.policy, sent.model, sent.state, {}});
    EXPECT_EQ(numbers_of(received), numbers);
    EXPECT_EQ(received.tensors.back().tensor, sent.tensors.back().tensor);
    EXPECT_EQ(judge_gradients(received).value, judge_gradients(sent).value);
}

TEST(PlantedGradient, NotANumberFails) {
    const GradientOf planted = [](const GradientPoint&, std::span<const double> weights,
                                  const oracle::MicroBatch&) {
        return std::vector<double>(weights.size(), std::nan(""));
    };
    EXPECT_EQ(judged(planted, 1.0).verdict, Verdict::fail);
}

}  // namespace
}  // namespace shardstone::validation
