// SPDX-License-Identifier: BSD-3-Clause
// The trainer on a GPU, or the emulated one, against one rank's plain loop on the host: every
// step's loss and gradients within the bound of the equivalence matrix, norm and update to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "collectives/device/devices.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/tensor/cuda.hpp"
#include "reference/trainer/model_state.hpp"
#include "validation/equivalence/layouts.hpp"
#include "validation/equivalence/step_judge.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr std::int64_t steps = 2;

class DeviceTrainer : public testing::Test {
  protected:
    void SetUp() override {
        const auto list = collectives::list_devices();
        if (list.devices.empty()) GTEST_SKIP() << "no GPU: " << list.why_none;
    }
    static TrainOptions options_of(const std::string& precision, OptimizerKind optimizer) {
        TrainOptions options = equivalence_training(steps);
        options.plan = parse_plan("dp=1");
        options.precision = find_precision(precision);
        choose_optimizer(options, optimizer);
        return options;
    }
    static void expect_judged(const TrainOptions& options) {
        const Dataset text = equivalence_text();
        Trainer<float, Cuda> trainer(world(), options, text, checked_step_program(options, 0));
        trainer.record_trace();
        StepJudge<float> judge(options, text);
        ModelState<float> before = SerialTrainer<float>(options, text).state();
        for (std::int64_t step = 1; step <= steps; ++step) {
            const StepReport report = trainer.step();
            const auto first = std::ranges::find(trainer.trace(), step, &TraceEvent::step);
            ASSERT_NE(first, trainer.trace().end());
            EXPECT_GE(first->begin_s, report.begin_s);
            EXPECT_LT(first->begin_s, report.begin_s + report.time_s);
            const auto part_s = [&](StepPart part) {
                return report.phases[static_cast<std::size_t>(part)];
            };
            // The passes' time is theirs, not that of whoever waits for them first: the norm.
            EXPECT_GT(part_s(StepPart::compute), part_s(StepPart::optimizer));
            StepState<float> after{report.loss, report.gradient_norm,
                                   gather_state(world(), trainer), report.skipped};
            const auto found = judge.judge(step, before, after);
            ASSERT_FALSE(found) << found->text();
            before = std::move(after.model);
        }
        EXPECT_LE(judge.worst(), 1.0);
        RecordProperty("worst_share_of_bound", std::to_string(judge.worst()));
    }
};

class EveryPrecision : public DeviceTrainer, public testing::WithParamInterface<const char*> {};

TEST_P(EveryPrecision, TrainsAsTheHostDoes) {
    expect_judged(options_of(GetParam(), OptimizerKind::adamw));
}

INSTANTIATE_TEST_SUITE_P(All, EveryPrecision,
                         testing::Values("fp32", "bf16", "bf16-pure", "bf16-stochastic",
                                         "bf16-stream", "fp16", "fp8"));

class EveryOptimizer : public DeviceTrainer, public testing::WithParamInterface<OptimizerKind> {};

TEST_P(EveryOptimizer, TrainsAsTheHostDoes) {
    expect_judged(options_of("fp32", GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, EveryOptimizer,
                         testing::Values(OptimizerKind::sgd, OptimizerKind::momentum,
                                         OptimizerKind::nesterov, OptimizerKind::lamb,
                                         OptimizerKind::lars));

// The first step has no scales; in the second one products are of FP8 itself, which are others.
TEST_F(DeviceTrainer, MultipliesFp8InItsUnits) {
    TrainOptions options = options_of("fp8", OptimizerKind::adamw);
    options.model.layers = 2;
    options.model.heads = 3;
    options.model.channels = 48;
    const Dataset text = equivalence_text();
    const auto plans_of_second_step = [&text](const TrainOptions& training) {
        Trainer<float, Cuda> trainer(world(), training, text, checked_step_program(training, 0));
        trainer.step();
        const std::int64_t planned = gpu_gemm_plans();
        trainer.step();
        return gpu_gemm_plans() - planned;
    };
    EXPECT_EQ(plans_of_second_step(options), gpu_reads_fp8() ? 12 : 0);
    expect_judged(options);
    // Of sizes that are no multiples of 16 only the weights of the projection behind the MLP, (40,
    // 160), are: their gradient is a product of its units.
    options.model.heads = 5;
    options.model.channels = 40;
    EXPECT_EQ(plans_of_second_step(options), gpu_reads_fp8() ? 1 : 0);
}

TEST_F(DeviceTrainer, SumsReproducibly) {
    TrainOptions options = options_of("fp32", OptimizerKind::adamw);
    options.reproducible = true;
    options.recompute = Recompute::full;
    expect_judged(options);
}

TEST_F(DeviceTrainer, TrainsExperts) {
    for (const char* precision : {"fp32", "bf16"}) {
        for (const double capacity : {0.0, 1.0}) {
            TrainOptions options = options_of(precision, OptimizerKind::adamw);
            options.model.experts = {.count = 4, .top_k = 2, .capacity = capacity};
            expect_judged(options);
        }
    }
}

TEST_F(DeviceTrainer, LeavesOutAnUpdateThatOverflowed) {
    TrainOptions options = options_of("fp16", OptimizerKind::adamw);
    options.overflow = {2, 0};
    expect_judged(options);
}

// Twice the same bits: no sum depends on which thread comes first.
TEST_F(DeviceTrainer, RepeatsItself) {
    const TrainOptions options = options_of("bf16", OptimizerKind::adamw);
    const Dataset text = equivalence_text();
    Trainer<float, Cuda> one(world(), options, text, checked_step_program(options, 0));
    Trainer<float, Cuda> other(world(), options, text, checked_step_program(options, 0));
    for (std::int64_t step = 1; step <= steps; ++step)
        EXPECT_EQ(one.step().loss, other.step().loss);
    EXPECT_EQ(gather_state(world(), one).weights, gather_state(world(), other).weights);
}

}  // namespace
}  // namespace shardstone::validation
