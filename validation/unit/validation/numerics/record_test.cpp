// SPDX-License-Identifier: BSD-3-Clause
// A failing policy leaves the numerics record verified; a kernel beyond its bound does not.
#include "validation/numerics/record.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/journal/recover.hpp"
#include "results/report/section.hpp"

namespace shardstone::validation {
namespace {

Trajectory run_with(double loss) {
    return {{2.0, loss}, loss, 0.0};
}

/// A validation in which one policy passes and one fails.
NumericsResult made_up() {
    NumericsResult result;
    result.kernels = {
        {"layernorm forward", "out", ElementType::bf16, ElementType::bf16, 10, 0.25, 0.5, 0.9}};
    result.reductions = {{"ring", 4, ElementType::fp32, 3, {}}};
    TensorGradient tensor;
    tensor.tensor = "blocks.0.norm1.weight";
    tensor.layer = 0;
    tensor.relative_norm = 0.004;
    tensor.log2_shares = {-1.0, -1.5};
    result.gradients = {{"bf16", "nano", "initial", {tensor}}};
    result.trajectories = {{"nano",
                            1.0,
                            1.01,
                            {"fp64", {run_with(1.02), run_with(1.03)}},
                            {"fp32", {run_with(1.02), run_with(1.03), run_with(1.07)}},
                            {{"bf16", {run_with(1.02), run_with(1.03)}},
                             {"bf16-pure", {run_with(1.51), run_with(1.52)}}}}};
    result.findings = {judge_kernels(result.kernels, {ElementType::bf16}, "bf16"),
                       judge_gradients(result.gradients.front())};
    const auto judged = findings_of(result.trajectories.front());
    result.findings.insert(result.findings.end(), judged.begin(), judged.end());
    return result;
}

results::Record record_of(const NumericsResult& result) {
    auto record = results::new_record("numerics", "made up", {"shardstone"});
    record.environment["ranks"] = 1;
    begin_record(plan_numerics({}), record);
    results::add_part(record, part_of(result));
    return record;
}

// A failing policy is a result, which a report must be able to show.
TEST(NumericsRecord, IsVerifiedThoughAPolicyFails) {
    const auto record = record_of(made_up());
    EXPECT_TRUE(record.verified());
    for (const char* table : {"verdicts", "kernel_errors", "reduction_errors", "gradient_errors",
                              "held_out_losses", "loss_curves"}) {
        EXPECT_TRUE(record.has_table(table)) << table;
    }
    const auto& verdicts = record.table("verdicts").column("verdict").texts;
    EXPECT_NE(std::ranges::find(verdicts, "fail"), verdicts.end());
}

// FP64 is trained with fewer seeds; the spread of the others must not show as a difference.
TEST(NumericsRecord, CurvesDifferSeedBySeed) {
    const auto record = record_of(made_up());
    const auto& curves = record.table("loss_curves");
    const auto& policies = curves.column("policy").texts;
    for (std::size_t i = 0; i < policies.size(); ++i) {
        if (policies[i] != "fp64") continue;
        EXPECT_EQ(curves.column("difference_to_fp32").numbers[i], 0.0);
    }
}

TEST(NumericsRecord, IsNotVerifiedWhenAKernelLeavesItsBound) {
    auto result = made_up();
    result.kernels.front().share_of_bound = 1.5;
    result.findings.push_back(judge_kernels(result.kernels, {ElementType::bf16}, "bf16"));
    EXPECT_FALSE(record_of(result).verified());
}

TEST(NumericsReport, NamesWhoPassesAndWhoFails) {
    const auto record = record_of(made_up());
    const auto sections =
        results::make_sections({{{"made-up.json", record, results::hash_of(record)}}, {}});
    const auto found = std::ranges::find(sections, "numerics", &results::Section::id);
    ASSERT_NE(found, sections.end());
    const bool named = std::ranges::any_of(found->findings, [](const results::Finding& finding) {
        return finding.sentence.find("trajectories") != std::string::npos &&
               finding.sentence.find(
                   "fail: bf16-pure (nano) (verdicts on these policies, not checks "
                   "of the run)") != std::string::npos;
    });
    EXPECT_TRUE(named);
    EXPECT_EQ(found->figures.size(), 2U);
    EXPECT_NE(found->body.find("layernorm forward"), std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
