// SPDX-License-Identifier: BSD-3-Clause
// Every layout of the matrix trains what one rank does: here a few steps in FP32 with AdamW, and
// some layouts in the other arithmetics; `shardstone validate equivalence` does all of it.
#include "validation/equivalence/matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr std::int64_t steps = 2;

class MatrixTest : public testing::Test {
  protected:
    static void SetUpTestSuite() { matrix_ = std::make_unique<EquivalenceMatrix>(world(), steps); }
    static void TearDownTestSuite() { matrix_.reset(); }

    static void expect_equal(const Layout& layout, const Arithmetic& arithmetic) {
        const LayoutVerdict verdict = matrix_->judge(layout, arithmetic);
        if (!world().is_root()) return;
        const auto check = checks_of({verdict}).front();
        EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
    }

  private:
    static inline std::unique_ptr<EquivalenceMatrix> matrix_;
};

TEST(Matrix, HoldsAtLeastSixtyLayouts) {
    const auto layouts = equivalence_layouts();
    EXPECT_GE(layouts.size(), 60U);
    std::set<std::string> names;
    for (const Layout& layout : layouts) EXPECT_TRUE(names.insert(layout.name()).second);
}

class EveryLayout : public MatrixTest, public testing::WithParamInterface<Layout> {};

TEST_P(EveryLayout, TrainsAsOneRankDoes) {
    expect_equal(GetParam(), {false, OptimizerKind::adamw});
}

INSTANTIATE_TEST_SUITE_P(All, EveryLayout, testing::ValuesIn(equivalence_layouts()),
                         [](const auto& layout) {
                             std::string name = layout.param.name();
                             for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
                             return name;
                         });

class EveryArithmetic : public MatrixTest, public testing::WithParamInterface<const char*> {};

TEST_P(EveryArithmetic, TrainsAsOneRankDoes) {
    const Layout layout{.plan = GetParam()};
    const auto layouts = equivalence_layouts();
    EXPECT_EQ(std::ranges::count(layouts, layout.name(), &Layout::name), 1)
        << "so that EveryLayout trains it in FP32 with AdamW";
    for (const Arithmetic& arithmetic : all_arithmetics()) {
        if (arithmetic.name() != Arithmetic{}.name()) expect_equal(layout, arithmetic);
    }
}

using PlanAndPrecision = std::tuple<const char*, std::string>;

class EveryPrecision : public MatrixTest, public testing::WithParamInterface<PlanAndPrecision> {};

// Where the loss is scaled, all ranks skip the step in which the last one overflows.
TEST_P(EveryPrecision, TrainsAsOneRankDoes) {
    const auto& [plan, precision] = GetParam();
    expect_equal({.plan = plan}, {false, OptimizerKind::adamw, precision});
}

std::vector<std::string> narrow_precisions() {
    std::vector<std::string> names;
    for (const Precision& each : precisions()) {
        if (each.name != "fp32" && !each.fp64) names.push_back(each.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Some, EveryPrecision,
                         testing::Combine(testing::Values("dp=3", "dp=2,pp=2,zero=3", "tp=3,sp=1",
                                                          "dp=2,tp=2,pp=2,zero=1", "cp=3",
                                                          "tp=2,cp=2,pp=2,sp=1"),
                                          testing::ValuesIn(narrow_precisions())));

// Where positions with nearly tied experts may go elsewhere than on one rank.
TEST_F(MatrixTest, TrainsExpertsInBf16) {
    const Arithmetic arithmetic{false, OptimizerKind::adamw, "bf16"};
    for (const char* plan : {"tp=3,sp=1", "cp=3"}) {
        expect_equal({.plan = plan, .experts = {.count = 4, .top_k = 2}}, arithmetic);
    }
    expect_equal({.plan = "tp=2", .experts = {.count = 4, .top_k = 2, .capacity = 1.0}},
                 arithmetic);
}

using PlanAndOptimizer = std::tuple<const char*, OptimizerKind>;

class EveryOptimizer : public MatrixTest, public testing::WithParamInterface<PlanAndOptimizer> {};

TEST_P(EveryOptimizer, TrainsAsOneRankDoes) {
    const auto& [plan, optimizer] = GetParam();
    expect_equal({.plan = plan}, {false, optimizer});
}

INSTANTIATE_TEST_SUITE_P(
    Some, EveryOptimizer,
    testing::Combine(testing::Values("dp=3,zero=2", "dp=2,pp=4,zero=3", "tp=3,sp=1",
                                     "dp=2,tp=2,pp=2,zero=1", "dp=2,cp=3,zero=2"),
                     testing::Values(OptimizerKind::momentum, OptimizerKind::nesterov,
                                     OptimizerKind::lamb, OptimizerKind::lars)),
    [](const auto& each) {
        std::string name = to_string(std::get<1>(each.param)) + "_" + std::get<0>(each.param);
        for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
        return name;
    });

using AdaptingOptimizer = MatrixTest;

TEST_F(AdaptingOptimizer, LeavesFrozenTensorsAlone) {
    for (const char* plan : {"dp=3,zero=2", "dp=2,tp=2,pp=2,zero=2,sp=1", "cp=2,zero=3"}) {
        expect_equal({.plan = plan, .frozen = true}, {true, OptimizerKind::lamb});
    }
}

TEST_F(AdaptingOptimizer, TakesPlainSums) {
    expect_equal({.plan = "dp=2,pp=2,zero=3", .reproducible = false}, {true, OptimizerKind::lars});
}

INSTANTIATE_TEST_SUITE_P(Some, EveryArithmetic,
                         testing::Values("dp=3,zero=2", "dp=2,pp=4,zero=3", "tp=3,sp=1",
                                         "dp=2,tp=2,pp=2,zero=1", "dp=2,cp=3,zero=3"));

}  // namespace
}  // namespace shardstone::validation
