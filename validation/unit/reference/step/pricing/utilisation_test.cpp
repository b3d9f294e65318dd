// SPDX-License-Identifier: BSD-3-Clause
// Utilisation in virtual time: exactly the closed forms where all stage passes take as long and
// transfers nothing, and close to m / (m + p - 1) where a real model's costs are far from that.
#include <gtest/gtest.h>

#include <array>

#include "reference/step/pricing/fixed_costs.hpp"
#include "reference/step/pricing/prediction.hpp"
#include "reference/step/schedules/schedule.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

std::vector<std::int64_t> micro_batches_of(const PipelineSchedule& schedule, int stages) {
    if (schedule.name == "zb-h2") return {2 * stages - 1, 16};
    if (schedule.takes_chunks) return {stages, 2 * stages, 3 * stages};
    return {1, 2, 3, 4, 7, 8, 16};
}

/// Whole numbers: sums are exact, and only the two quotients are rounded.
TEST(Utilisation, IsOneLessTheBubbleExactly) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        for (int stages = schedule.takes_chunks ? 2 : 1; stages <= 8; ++stages) {
            for (const int chunks : schedule.takes_chunks ? std::vector{2, 3} : std::vector{1}) {
                for (const std::int64_t m : micro_batches_of(schedule, stages)) {
                    StepSpec spec = small_spec({1, 1, stages, 0, 0}, stages * chunks, m);
                    spec.pipeline.schedule = schedule.name;
                    spec.pipeline.chunks = chunks;
                    const auto programs = step_programs(spec);
                    for (const auto& [f, b, w] :
                         {std::array{1., 1., 1.}, std::array{2., 3., 1.}, std::array{3., 2., 4.}}) {
                        const Timeline timeline =
                            run_in_virtual_time(spec.plan, programs, FixedCosts(f, b, w));
                        const double bubble = schedule.bubble({stages, chunks, m}, f, b, w);
                        EXPECT_NEAR(timeline.utilisation, 1.0 - bubble, 1e-15) << describe(spec);
                    }
                }
            }
        }
    }
}

/// A slower transfer must show, or the test above would pass without any.
TEST(Utilisation, FallsWithSlowMessages) {
    const StepSpec spec = small_spec({1, 1, 4, 0, 0}, 4, 8);
    FixedCosts costs(1, 1, 1);
    const auto programs = step_programs(spec);
    const double free = run_in_virtual_time(spec.plan, programs, costs).utilisation;
    costs.message_time_s = 0.5;
    EXPECT_LT(run_in_virtual_time(spec.plan, programs, costs).utilisation, 0.98 * free);
}

StepSpec four_stages(const char* schedule, std::int64_t micro_batches) {
    StepSpec spec;
    spec.model = {"four stages", 256, 256, 16, 8, 512};
    spec.plan.pipeline = 4;
    spec.batch = {.global_batch = micro_batches, .micro_batch = 1, .sequence = 256, .shortest = 0};
    spec.pipeline.schedule = schedule;
    validate(spec);
    return spec;
}

/// 4 stages, 1 to 16 micro-batches, messages over typical links, embedding and head included:
/// within 5 % of m / (m + p - 1), and of 1 / p for the naive split.
TEST(Utilisation, FollowsTheFormulaWithRealCosts) {
    const Machine machine = typical_node(4, 100e9, 20e9);
    for (std::int64_t m = 1; m <= 16; ++m) {
        const double formula = static_cast<double>(m) / static_cast<double>(m + 3);
        for (const char* schedule : {"gpipe", "1f1b"}) {
            const auto step = price_step(four_stages(schedule, m), machine, {});
            EXPECT_NEAR(step.prediction.utilisation / formula, 1.0, 0.05) << schedule << " " << m;
        }
        const auto naive = price_step(four_stages("naive", m), machine, {});
        EXPECT_NEAR(naive.prediction.utilisation / 0.25, 1.0, 0.05) << m;
    }
}

/// A stage of twice the layers is not what the formula is about.
TEST(Utilisation, LeavesTheFormulaWithUnevenStages) {
    StepSpec spec = four_stages("1f1b", 16);
    spec.pipeline.layers = {7, 3, 3, 3};
    const auto step = price_step(spec, typical_node(4, 100e9, 20e9), {});
    EXPECT_LT(step.prediction.utilisation, 0.8 * 16.0 / 19.0);
}

}  // namespace
}  // namespace shardstone::validation
