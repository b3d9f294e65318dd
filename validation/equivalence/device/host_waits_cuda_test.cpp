// SPDX-License-Identifier: BSD-3-Clause
// The host of a GPU enqueues a whole step and waits for none of it before the end, and from the
// second step on it allocates nothing: counted by the emulated device, whatever the layout,
// precision and optimizer.
#include <gtest/gtest.h>

#include "benchmarks/training/step_benchmark.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/tensor/cuda.hpp"
#include "reference/trainer/trainer.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/equivalence/layouts.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

struct Case {
    const char* precision;
    OptimizerKind optimizer;
    const char* plan;
};

TrainOptions options_of(const Case& one) {
    TrainOptions options = equivalence_training(2);
    options.model.layers = 2;
    options.plan = parse_plan(one.plan);
    options.precision = find_precision(one.precision);
    choose_optimizer(options, one.optimizer);
    if (options.precision.fp8_products) {  // sizes that its units can multiply
        options.model.heads = 3;
        options.model.channels = 48;
    }
    options.batch.global_batch = 2 * options.batch.micro_batch * options.plan.data;
    return options;
}

/// The second step with graphs is the first whose graph takes over values. The first steps are
/// without: one, and one more with FP8.
void expect_no_waits(const Case& one, bool graphs) {
    SCOPED_TRACE(std::string(one.precision) + ", " + to_string(one.optimizer) + ", " + one.plan +
                 (graphs ? ", as graphs" : ""));
    TrainOptions options = options_of(one);
    options.graphs = graphs;
    const int without = options.precision.fp8_products ? 2 : 1;
    const int steps = without + (graphs ? 2 : 1);
    const Dataset text = equivalence_text();
    Trainer<float, Cuda> trainer(world(), options, text,
                                 checked_step_program(options, world().rank()));
    emulated::Counters& counters = emulated::counters();
    std::int64_t waits = -1;
    trainer.report_progress([&](std::size_t begun, std::size_t actions) {
        if (begun == actions) waits = counters.host_waits;
    });
    for (int step = 1; step <= steps; ++step) {
        counters = {};
        trainer.step();
        EXPECT_EQ(counters.graph_launches, graphs && step > without ? 1 : 0) << "in step " << step;
        // Workspaces grow, libraries are opened; a graph has all its staging at once.
        if (step < steps) continue;
        EXPECT_EQ(waits, 0) << "before the end of the step";
        // A wait and a copy each for FP8's largest magnitudes and the sums of the step, and one
        // for the end of its last part.
        EXPECT_LE(counters.host_waits, 5);
        EXPECT_GT(counters.kernels_run, 0) << "or nothing was counted";
        EXPECT_EQ(counters.allocations, 0);
        EXPECT_EQ(counters.pinned_allocations, 0);
    }
    EXPECT_EQ(trainer.graph().times_made(), graphs ? 1 : 0) << "all steps have one shape";
}

TEST(HostWaits, AreNoneBeforeTheEndOfAStep) {
    using Kind = OptimizerKind;
    collectives::choose_gpu_of_rank(world());
    if (world().size() == 1) {
        for (const Case& one :
             {Case{"fp32", Kind::adamw, "dp=1"}, Case{"fp16", Kind::lamb, "dp=1"},
              Case{"fp8", Kind::adamw, "dp=1"}, Case{"bf16-stochastic", Kind::lars, "dp=1"}}) {
            for (const bool graphs : {false, true}) expect_no_waits(one, graphs);
        }
    } else {
        for (const char* plan : {"dp=2,zero=3", "pp=2", "tp=2,sp=1", "cp=2"}) {
            for (const bool graphs : {false, true}) {
                expect_no_waits({"fp32", Kind::adamw, plan}, graphs);
            }
        }
    }
}

/// As `step --device cuda` times them. The warm-up is the step of which the loss is read at once.
TEST(HostWaits, IsOneForAStepByItself) {
    if (world().size() > 1) GTEST_SKIP() << "each of several ranks does the same";
    for (const char* precision : {"fp32", "bf16-stream", "fp16"}) {
        SCOPED_TRACE(precision);
        benchmarks::StepSetup setup{.model = gpt_preset("nano"),
                                    .micro_batch = 2,
                                    .sequence = 16,
                                    .precision = find_precision(precision),
                                    .policy = {},
                                    .device = DeviceKind::cuda};
        setup.policy.fixed_warmup = 1;
        setup.policy.fixed_iterations = 3;
        emulated::Counters& counters = emulated::counters();
        benchmarks::time_training_step(world(), setup, [&](std::int64_t step) {
            if (step > 2) {
                EXPECT_EQ(counters.host_waits, 1) << "before step " << step;
                EXPECT_GT(counters.kernels_run, 0) << "or nothing was counted";
                EXPECT_EQ(counters.allocations, 0);
                EXPECT_EQ(counters.pinned_allocations, 0);
            }
            counters = {};
        });
    }
}

}  // namespace
}  // namespace shardstone::validation
