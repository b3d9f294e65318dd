// SPDX-License-Identifier: BSD-3-Clause
// Whole training steps of every layout of the matrix on emulated GPUs, for the sanitizers under
// which this is built: they end it at the first access that nothing orders or that is outside of
// its memory. device_layouts_test judges the numbers, with models for which a sanitizer would take
// days; what may race are the actions of a step, of which these small ones have every kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "collectives/device/devices.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/tensor/cuda.hpp"
#include "reference/trainer/trainer.hpp"
#include "validation/equivalence/device/device_layout.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

/// No more blocks and micro-batches than the plan needs for its stages to be full, never one alone:
/// of the matrix's training it is the same step with fewer repetitions.
TrainOptions small_training(const Layout& layout, const std::string& precision) {
    TrainOptions options = with_layout(equivalence_training(precision == "fp8" ? 3 : 2), layout);
    choose_optimizer(options, OptimizerKind::adamw);
    options.precision = find_precision(precision);
    options.device = DeviceKind::cuda;
    options.graphs = may_use_graphs(options);  // all but the first steps
    const int stages = options.plan.pipeline;
    if (layout.stage_layers.empty()) {
        options.model.layers = std::max(2, stages * layout.chunks);
    }
    const std::int64_t replicas = options.plan.data * options.plan.expert;
    const std::int64_t at_once = replicas * layout.micro_batch;
    const std::int64_t filled = std::max<std::int64_t>(2, 2 * stages) * at_once;
    options.batch.global_batch = std::min(options.batch.global_batch, filled);
    return options;
}

class DeviceSteps : public testing::TestWithParam<Layout> {
  protected:
    static void SetUpTestSuite() { collectives::choose_gpu_of_rank(world()); }

    static void train(const std::string& precision) {
        const int ranks = GetParam().parsed_plan().ranks();
        if (ranks != world().size()) GTEST_SKIP() << "is of " << ranks << " ranks";
        const std::string why = why_left_out(GetParam(), precision);
        if (!why.empty()) GTEST_SKIP() << why;
        const TrainOptions options = small_training(GetParam(), precision);
        const Dataset text = equivalence_text();
        Trainer<float, Cuda> trainer(world(), options, text,
                                     checked_step_program(options, world().rank()));
        for (std::int64_t step = 1; step <= options.steps; ++step) {
            EXPECT_TRUE(std::isfinite(trainer.step().loss)) << "in step " << step;
        }
        EXPECT_EQ(trainer.graph().times_made(), options.graphs ? 1 : 0);
    }
};

TEST_P(DeviceSteps, InFp32) {
    train("fp32");
}

TEST_P(DeviceSteps, InBf16) {
    train("bf16");
}

TEST_P(DeviceSteps, InFp8) {
    train("fp8");
}

INSTANTIATE_TEST_SUITE_P(All, DeviceSteps, testing::ValuesIn(equivalence_layouts()), test_name_of);

}  // namespace
}  // namespace shardstone::validation
