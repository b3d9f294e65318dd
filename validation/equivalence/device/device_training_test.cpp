// SPDX-License-Identifier: BSD-3-Clause
// A training on GPUs, or emulated ones, passes its own checks on any number of ranks, and what
// holds its computations up is communication.
#include <gtest/gtest.h>

#include <numeric>

#include "benchmarks/training/run/checks.hpp"
#include "benchmarks/training/run/run.hpp"
#include "collectives/device/devices.hpp"
#include "validation/equivalence/layouts.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

class DeviceTraining : public testing::Test {
  protected:
    void SetUp() override {
        const auto list = collectives::list_devices();
        if (std::ssize(list.devices) < world().size()) {
            GTEST_SKIP() << "there is no GPU for each rank: " << list.why_none;
        }
    }
    static TrainOptions options() {
        TrainOptions options = equivalence_training(2);
        options.model.layers = 2;  // each takes an emulated GPU seconds
        options.plan = ParallelPlan{};
        options.plan.data = world().size();
        options.batch.global_batch = options.batch.micro_batch * world().size();
        options.device = DeviceKind::cuda;
        return options;
    }
};

double part_s(const StepPartTimes& times, StepPart part) {
    return times[static_cast<std::size_t>(part)];
}

TEST_F(DeviceTraining, PassesItsChecksAndTellsWhatHeldItUp) {
    const Dataset text = equivalence_text();
    const auto result = benchmarks::run_training(world(), {.options = options()}, text);
    for (const auto& check : benchmarks::checks_of(options(), result)) {
        EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
    }
    ASSERT_EQ(result.steps.size(), 2u);
    for (const auto& step : result.rank_steps) {  // of every rank
        EXPECT_NEAR(std::accumulate(step.phases.begin(), step.phases.end(), 0.0), step.time_s,
                    1e-9);
        const double held_up_s = part_s(step.phases, StepPart::communication);
        EXPECT_LT(held_up_s, step.time_s);
        if (world().size() == 1) {
            EXPECT_EQ(held_up_s, 0.0) << "there is nobody to wait for";
        } else {
            EXPECT_GT(held_up_s, 0.0);
        }
        EXPECT_GT(part_s(step.phases, StepPart::compute), 0.0);
        EXPECT_GT(part_s(step.phases, StepPart::optimizer), 0.0);
        EXPECT_EQ(part_s(step.phases, StepPart::preempted), 0.0) << "an idle host is none";
    }
}

}  // namespace
}  // namespace shardstone::validation
