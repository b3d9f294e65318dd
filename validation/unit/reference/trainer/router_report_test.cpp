// SPDX-License-Identifier: BSD-3-Clause
// What a training reports of its experts is what one rank reports, however it is split.
#include <gtest/gtest.h>

#include <map>

#include "benchmarks/training/run/run.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/trainer/synthetic_language.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr std::int64_t steps = 3;

TrainOptions routed_training(const ExpertOptions& experts, const std::string& plan) {
    TrainOptions options;
    options.model = gpt_preset("nano");
    options.model.heads = 4;
    options.model.experts = experts;
    options.precision = find_precision("fp64");
    options.plan = parse_plan(plan);
    options.batch = {8, 1, 16};
    options.batch.shortest = 5;
    options.steps = steps;
    options.eval_sequences = 0;
    return options;
}

std::vector<StepReport> reports_of(collectives::Communicator& ranks, const TrainOptions& options) {
    const Dataset text = text_in(MarkovLanguage(1, 16, 1), 5000, 1000);
    return benchmarks::run_training(ranks, {options}, text).steps;
}

/// Plans by their ranks: every axis, and what two of them make.
const std::map<int, std::vector<std::string>> plans{
    {2, {"dp=2", "ep=2", "tp=2", "tp=2,sp=1", "pp=2", "cp=2"}},
    {4, {"ep=4", "dp=2,ep=2", "ep=2,tp=2", "ep=2,pp=2", "ep=2,cp=2"}}};

void expect_same(const std::vector<StepReport>& reports, const std::vector<StepReport>& expected,
                 const std::string& what) {
    ASSERT_EQ(reports.size(), expected.size());
    for (std::size_t i = 0; i < reports.size(); ++i) {
        const StepReport::Router& router = *reports[i].router;
        EXPECT_NEAR(router.balance, expected[i].router->balance, 1e-12) << what;
        EXPECT_NEAR(router.z, expected[i].router->z, 1e-12) << what;
        EXPECT_NEAR(router.dropped, expected[i].router->dropped, 1e-12) << what;
        EXPECT_NEAR(reports[i].loss, expected[i].loss, 1e-12) << what;
    }
}

class RouterReport : public testing::TestWithParam<double> {};

/// Sums of 128 positions and 2 blocks in FP64, in another order; those of a recomputation do not
/// count again.
TEST_P(RouterReport, IsThatOfOneRank) {
    const ExpertOptions experts{.count = 4, .top_k = 2, .capacity = GetParam()};
    collectives::Communicator alone = world().split(world().rank());
    const auto expected = reports_of(alone, routed_training(experts, "dp=1"));
    ASSERT_EQ(std::ssize(expected), steps);
    EXPECT_EQ(expected.back().router->dropped > 0.0, GetParam() > 0.0);
    for (const std::string& plan : plans.at(world().size())) {
        TrainOptions options = routed_training(experts, plan);
        if (options.plan.context > 1 && GetParam() > 0.0) continue;  // refused
        for (const auto recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
            options.recompute = recompute;
            expect_same(reports_of(world(), options), expected,
                        plan + " recompute " + to_string(recompute));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Capacity, RouterReport, testing::Values(0.0, 1.0));

}  // namespace
}  // namespace shardstone::validation
