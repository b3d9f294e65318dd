// SPDX-License-Identifier: BSD-3-Clause
// Trainings under a policy are judged by paired seeds, and planted precision faults fail.
#include "validation/numerics/trajectories.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "validation/numerics/language.hpp"
#include "validation/numerics/share_out.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

SeedRuns made_up(const std::string& policy, const std::vector<double>& losses) {
    SeedRuns runs{policy, {}};
    for (const double loss : losses) runs.runs.push_back({{loss}, loss, 0.0});
    return runs;
}

// FP32 spreads over the seeds by 1; a policy is allowed as much.
const SeedRuns fp32 = made_up("fp32", {4.0, 5.0, 6.0, 5.0, 6.0, 4.0, 5.0});

PolicyFinding judged(const std::vector<double>& differences) {
    std::vector<double> losses = held_out_losses(fp32);
    for (std::size_t s = 0; s < losses.size(); ++s) losses[s] += differences[s];
    return judge_trajectories("made up", made_up("policy", losses), fp32, fp32);
}

TEST(Trajectories, AreJudgedByThePairedDifference) {
    EXPECT_EQ(judged({0.1, -0.1, 0.2, 0.0, 0.1, -0.2, 0.1}).verdict, Verdict::pass);
    EXPECT_EQ(judged({2.1, 1.9, 2.2, 2.0, 2.1, 1.8, 2.1}).verdict, Verdict::fail);
    EXPECT_EQ(judged({-2.1, -1.9, -2.2, -2.0, -2.1, -1.8, -2.1}).verdict, Verdict::fail);
    const PolicyFinding open = judged({3.0, -3.0, 2.0, 0.0, 1.0, -2.0, 1.0});
    EXPECT_EQ(open.verdict, Verdict::undecided);
    EXPECT_GT(open.further, 5);
    EXPECT_LT(open.further, 100);
    EXPECT_EQ(judged({0.0, std::nan(""), 0.0, 0.0, 0.0, 0.0, 0.0}).verdict, Verdict::fail);
}

TEST(Trajectories, EntropyIsJudgedByTheDistanceFromTheOptimum) {
    TrajectoryResult result{"made up", 1.0, 1.1, {}, fp32, {}};
    EXPECT_EQ(judge_entropy(result, made_up("near", {1.11, 1.112, 1.108})).verdict, Verdict::pass);
    EXPECT_EQ(judge_entropy(result, made_up("far", {1.21, 1.212, 1.208})).verdict, Verdict::fail);
    EXPECT_EQ(judge_entropy(result, made_up("open", {1.10, 1.14, 1.11})).verdict,
              Verdict::undecided);
}

// Where FP32 itself has not learnt, nothing can be said of a policy, but that NaN is wrong.
TEST(Trajectories, WithTooFewStepsStayOpen) {
    TrajectoryResult result{"made up", 1.0, 1.1, fp32, fp32, {}};
    result.policies = {made_up("far", {9.0, 9.1, 9.2, 9.0, 9.1, 9.2, 9.1}),
                       made_up("broken", {5.0, 5.0, std::nan(""), 5.0, 5.0, 5.0, 5.0})};
    result.steps = 40;
    result.steps_to_learn = 320;
    for (const PolicyFinding& finding : findings_of(result)) {
        const bool broken = finding.subject == "broken";
        EXPECT_EQ(finding.verdict, broken ? Verdict::fail : Verdict::undecided) << finding.subject;
        const std::string words = broken ? "fail" : "undecided, 280 more steps";
        EXPECT_EQ(verdict_text(finding), words);
    }
    result.steps_to_learn.reset();
    EXPECT_EQ(findings_of(result)[1].verdict, Verdict::fail);
}

TEST(ShareOut, GivesEveryRankAllItems) {
    for (const std::size_t items : {1U, 2U, 5U, 7U}) {
        const auto all = share_out(world(), items, 2, [](std::size_t item) {
                             return std::vector<double>{static_cast<double>(item), 0.5};
                         }).value();
        ASSERT_EQ(all.size(), items);
        for (std::size_t i = 0; i < items; ++i) {
            EXPECT_EQ(all[i], (std::vector<double>{static_cast<double>(i), 0.5}));
        }
    }
}

constexpr int seeds = 3;

/// FP32 and what is planted, from the same weights on the same data, in a language of its own.
class Planted : public testing::Test {
  protected:
    SeedRuns runs_of(TrainOptions options) const {
        const auto alone = world().split(world().rank());
        const auto all =
            share_out(world(), seeds, 1, [&](std::size_t s) {
                options.seed = s + 1;
                return std::vector{train_alone<float>(alone, options, text_).held_out_loss};
            }).value();
        std::vector<double> losses;
        for (const auto& loss : all) losses.push_back(loss.front());
        return made_up(options.precision.name, losses);
    }
    static TrainOptions training(const Precision& precision) {
        TrainOptions options = language_training(gpt_preset("nano"), 60, precision, 1);
        options.eval_sequences = 64;
        return options;
    }
    static PolicyFinding judged(const SeedRuns& policy, const SeedRuns& baseline) {
        return judge_trajectories("nano", policy, baseline, baseline);
    }

    const MarkovLanguage language_{1, 8, 1};
    const Dataset text_ = text_in(language_, 20000, 5000);
};

// The same harness passes a policy that is right.
TEST_F(Planted, NothingPasses) {
    const PolicyFinding finding =
        judged(runs_of(training(find_precision("fp16"))), runs_of(training({})));
    EXPECT_EQ(finding.verdict, Verdict::pass)
        << finding.interval.low << " to " << finding.interval.high << ", allowed "
        << finding.allowed.high;
}

// Gradients below 2^-24 are zeros in FP16: nothing is learnt.
TEST_F(Planted, TooSmallALossScaleFails) {
    Precision planted = find_precision("fp16-static");
    planted.scaling.initial = 0x1p-30;
    const PolicyFinding finding = judged(runs_of(training(planted)), runs_of(training({})));
    EXPECT_EQ(finding.verdict, Verdict::fail) << finding.value;
    EXPECT_GT(finding.value, 1.0) << "nats";
}

// Updates of 2e-5 are under half a unit in the last place of BF16 for weights above 2^-7.
TEST_F(Planted, NoMasterWeightsAtASmallLearningRateFails) {
    const auto slow = [](const Precision& precision) {
        TrainOptions options = training(precision);
        options.optimizer.learning_rate = 2e-5;
        options.optimizer.rate_shape = LearningRate::Shape::constant;
        options.optimizer.warmup_steps = 0;
        options.steps = 200;
        return options;
    };
    const SeedRuns right = runs_of(slow({}));
    const PolicyFinding with = judged(runs_of(slow(find_precision("bf16"))), right);
    const PolicyFinding without = judged(runs_of(slow(find_precision("bf16-pure"))), right);
    EXPECT_EQ(with.verdict, Verdict::pass) << with.value << " of " << with.allowed.high;
    EXPECT_EQ(without.verdict, Verdict::fail) << without.value << " of " << without.allowed.high;
}

TEST_F(Planted, StudyOfPoliciesTrainsThemAll) {
    const TrajectoryStudy study{gpt_preset("nano"), 3, 2, {Precision{}, find_precision("bf16")}};
    const auto alone = world().split(world().rank());
    int begun = 0;
    const auto found = run_trajectories(world(), alone, study, [&](const std::string& policy, int) {
        if (!policy.starts_with("longer")) ++begun;
    });
    EXPECT_EQ(world().sum(begun), 6);
    ASSERT_TRUE(found);
    const TrajectoryResult& result = *found;
    ASSERT_EQ(result.policies.size(), 1U);
    EXPECT_EQ(result.policies.front().policy, "bf16");
    EXPECT_EQ(result.fp32.runs.size(), 2U);
    EXPECT_EQ(result.fp32.runs.front().losses.size(), 3U);
    EXPECT_NEAR(result.fp32.runs.front().held_out_loss, result.fp64.runs.front().held_out_loss,
                1e-4);
    EXPECT_NE(result.fp32.runs[0].held_out_loss, result.fp32.runs[1].held_out_loss);
    // The text's own sampling error is a few standard errors of 32768 tokens.
    EXPECT_NEAR(result.optimum / result.entropy_rate, 1.0, 0.02);
    EXPECT_EQ(findings_of(result).size(), 4U);
}

}  // namespace
}  // namespace shardstone::validation
