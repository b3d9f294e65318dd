// SPDX-License-Identifier: BSD-3-Clause
// All-reduces of every algorithm and wire type stay in their bounds; narrow partial sums do not.
#include "validation/numerics/reductions.hpp"

#include <gtest/gtest.h>

#include <set>

#include "benchmarks/collectives/accuracy/inputs.hpp"
#include "kernels/base/element_type.hpp"

namespace shardstone::validation {
namespace {

const ReductionStudy small{
    {2, 3, 8}, {ElementType::fp32, ElementType::bf16, ElementType::fp16}, 64};

TEST(Reductions, EveryAlgorithmPassesOnEveryWire) {
    const auto errors = reduction_errors(small);
    std::set<std::string> algorithms;
    for (const ReductionError& error : errors) algorithms.insert(error.algorithm);
    EXPECT_GE(algorithms.size(), 8U);
    EXPECT_EQ(errors.size(), algorithms.size() * small.ranks.size() * small.wires.size());
    for (const ElementType wire : small.wires) {
        EXPECT_EQ(judge_reductions(errors, wire, "wire").verdict, Verdict::pass);
    }
}

// FP32 gradients whose running sum is kept in BF16 from rank to rank.
TEST(PlantedReduction, Bf16AccumulationOfFp32Fails) {
    constexpr int ranks = 8;
    constexpr std::int64_t elements = 64;
    const benchmarks::SumInputs inputs(ElementType::fp32, ranks);
    std::vector<float> sums(elements), mine(elements);
    for (int rank = 0; rank < ranks; ++rank) {
        inputs.fill(mine.data(), elements, rank);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] = static_cast<float>(bf16(sums[i] + mine[i]));
        }
    }
    ReductionError planted{"planted", ranks, ElementType::fp32, ranks - 1, {}};
    benchmarks::add_errors(ElementType::fp32, sums.data(), inputs.sums(elements), ranks - 1,
                           planted.error);
    auto errors = reduction_errors(small);
    errors.push_back(planted);
    const PolicyFinding finding = judge_reductions(errors, ElementType::fp32, "planted");
    EXPECT_EQ(finding.verdict, Verdict::fail);
    EXPECT_EQ(finding.worst, "planted, 8 ranks");
}

}  // namespace
}  // namespace shardstone::validation
