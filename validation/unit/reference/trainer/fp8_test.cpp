// SPDX-License-Identifier: BSD-3-Clause
// Training in FP8: every layout has the scales that one rank has, and it learns as BF16 does.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "benchmarks/training/run/run.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/trainer/synthetic_language.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

Dataset small_text() {
    return text_in(MarkovLanguage(1, 16, 1), 20000, 2000);
}

TrainOptions small_training(const char* precision) {
    TrainOptions options;
    options.model = gpt_preset("nano");
    options.batch = {8 % world().size() == 0 ? 8 : 2 * world().size(), 1, 16};
    options.communication.bucket_bytes = 20000;
    options.precision = find_precision(precision);
    options.reproducible = true;
    options.steps = 6;
    options.eval_sequences = 8;
    return options;
}

void expect_equal(const benchmarks::TrainingHashes& actual,
                  const benchmarks::TrainingHashes& expected, const TrainOptions& options) {
    const std::string what = to_string(options.plan) + " " + to_string(options.recompute);
    EXPECT_EQ(actual.losses, expected.losses) << what;
    EXPECT_EQ(actual.gradients, expected.gradients) << what;
    EXPECT_EQ(actual.parameters, expected.parameters) << what;
}

/// Each rank trains alone.
benchmarks::TrainingHashes hashes_of_one_rank(const Dataset& text) {
    auto alone = world().split(world().rank());
    return benchmarks::run_training(alone, {small_training("fp8")}, text).hashes;
}

std::vector<const char*> plans() {
    switch (world().size()) {
        case 1:
            return {"dp=1"};
        case 2:
            return {"dp=2", "pp=2", "dp=2,zero=1"};
        case 3:
            return {"dp=3", "dp=3,zero=3"};
        case 4:
            return {"dp=2,pp=2,zero=3", "dp=4,zero=2", "dp=2,pp=2"};
        case 5:
            return {"dp=5", "dp=5,zero=1"};
        case 8:
            return {"dp=8,zero=2", "dp=4,pp=2,zero=3"};
        default:
            return {};
    }
}

TEST(Fp8Training, IsBitwiseThatOfOneRank) {
    const Dataset text = small_text();
    const benchmarks::TrainingHashes expected = hashes_of_one_rank(text);
    for (const char* plan : plans()) {
        for (const Recompute recompute : {Recompute::none, Recompute::full}) {
            TrainOptions options = small_training("fp8");
            options.plan = parse_plan(plan);
            options.recompute = recompute;
            // What an evaluation sees must not change a scale.
            options.eval_every = recompute == Recompute::full ? 2 : 0;
            expect_equal(benchmarks::run_training(world(), {options}, text).hashes, expected,
                         options);
        }
    }
}

TEST(Fp8Training, SplitBackwardRoundsAlike) {
    if (world().size() != 2) GTEST_SKIP() << "a pipeline of two";
    const Dataset text = small_text();
    TrainOptions options = small_training("fp8");
    options.plan = parse_plan("pp=2");
    options.pipeline.schedule = "zb-h1";
    expect_equal(benchmarks::run_training(world(), {options}, text).hashes,
                 hashes_of_one_rank(text), options);
}

/// Loss of the last of some steps, with the amaxes shared as the program has it or kept by each.
double last_loss(const TrainOptions& options, const Dataset& text, GroupKind shared_by) {
    StepProgram program = step_program(options, world().rank());
    std::vector<Action> actions(program.actions.begin(), program.actions.end());
    for (Action& action : actions) {
        const bool of_amaxes = action.kind == Action::Kind::transfer &&
                               action.transfer.what == GroupTransfer::What::amaxes;
        if (of_amaxes) action.transfer.group = shared_by;
    }
    program.actions = std::move(actions);
    Trainer<float> trainer(world(), options, text, program);
    double loss = 0.0;
    for (std::int64_t step = 0; step < options.steps; ++step) loss = trainer.step().loss;
    return loss;
}

TEST(Fp8Training, AmaxesOfOneRankOnlyAreSeen) {
    if (world().size() == 1) GTEST_SKIP() << "nothing to share";
    const Dataset text = small_text();
    TrainOptions options = small_training("fp8");
    options.plan.data = world().size();
    const double shared = last_loss(options, text, GroupKind::world);
    EXPECT_NE(last_loss(options, text, GroupKind::tensor), shared);
}

TEST(Fp8Training, SendsTheAmaxes) {
    const Dataset text = small_text();
    const auto total = [&](const char* precision) {
        TrainOptions options = small_training(precision);
        options.plan.data = world().size();
        options.eval_sequences = 0;
        const auto result = benchmarks::run_training(world(), {options}, text);
        EXPECT_EQ(result.bytes_sent, result.scheduled_bytes);
        std::int64_t bytes = 0;
        for (const std::int64_t sent : result.bytes_sent) bytes += sent;
        return bytes;
    };
    // A ring moves 2 (P - 1) vectors; FP32, 4 products of 3 tensors for each of 2 layers, 6 steps.
    const std::int64_t vectors = 2 * (world().size() - 1) * 6;
    EXPECT_EQ(total("fp8") - total("bf16"), vectors * 4 * (4 * 3 * 2));
}

/// Most of what BF16 learns in as many steps, and not by being BF16.
TEST(Fp8Training, LearnsAsBf16Does) {
    if (world().size() > 1) GTEST_SKIP() << "other layouts are bitwise the same";
    const Dataset text = small_text();
    const auto losses = [&](const char* precision) {
        TrainOptions options = small_training(precision);
        options.steps = 60;
        options.optimizer.learning_rate = 5e-3;
        const auto result = benchmarks::run_training(world(), {options}, text);
        return std::pair(result.steps.front().loss, result.final_loss());
    };
    const auto [first, last] = losses("fp8");
    const auto [first_bf16, last_bf16] = losses("bf16");
    EXPECT_EQ(first, first_bf16);  // no history yet: the products are those of BF16
    EXPECT_NE(last, last_bf16);
    EXPECT_GT(first - last, 0.95 * (first_bf16 - last_bf16));
    EXPECT_GT(first - last, 1.0);
}

}  // namespace
}  // namespace shardstone::validation
