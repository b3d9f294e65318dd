// SPDX-License-Identifier: BSD-3-Clause
// Every registered schedule on every shape up to 16 stages, 4 chunks and 32 micro-batches: runs to
// its end, each pass once and in order, with the idle time and the activations that it claims.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "kernels/base/error.hpp"
#include "validation/unit/reference/step/schedules/virtual_time.hpp"

namespace shardstone::validation {
namespace {

using reference::find_pipeline_schedule;
using reference::pipeline_schedules;

/// All alike; backward twice the forward pass, halved evenly and not; each of the three the
/// longest and the shortest.
constexpr std::array<PassTimes, 8> all_times{
    {{1, 1, 1}, {3, 4, 2}, {4, 5, 3}, {2, 3, 1}, {7, 2, 1}, {1, 2, 2}, {3, 1, 2}, {2, 9, 13}}};

std::string words(const PipelineSchedule& schedule, const PipelineShape& shape,
                  const PassTimes& times) {
    return schedule.name + ", stages " + std::to_string(shape.stages) + ", chunks " +
           std::to_string(shape.chunks) + ", micro-batches " + std::to_string(shape.micro_batches) +
           ", F " + std::to_string(times.forward) + ", B " + std::to_string(times.backward_input) +
           ", W " + std::to_string(times.backward_weight);
}

TEST(Schedules, DoWhatTheyClaimOnEveryShape) {
    for (const PipelineSchedule& schedule : pipeline_schedules())
        for (const PipelineShape& shape : shapes_of(schedule)) {
            const PassesByStage stage_passes = stage_passes_of_all(schedule, shape);
            for (const PassTimes& times : all_times)
                ASSERT_EQ(difference(schedule, shape, stage_passes, times), "")
                    << words(schedule, shape, times);
        }
}

TEST(Schedules, TakeTheShapesThatTheyShould) {
    const std::map<std::string, std::size_t> expected{
        {"naive", 16 * 32},
        {"gpipe", 16 * 32},
        {"1f1b", 16 * 32},
        {"zb-h1", 16 * 32},
        // 32 - (2 p - 1) + 1 for p = 1 to 16.
        {"zb-h2", 272},
        // 2, 3 and 4 chunks; 32 / p rounded down for p = 1 to 16.
        {"interleaved", 3 * (32 + 16 + 10 + 8 + 6 + 5 + 4 + 4 + 3 + 3 + 2 + 2 + 2 + 2 + 2 + 2)}};
    EXPECT_EQ(pipeline_schedules().size(), expected.size());
    for (const auto& [name, shapes] : expected)
        EXPECT_EQ(shapes_of(find_pipeline_schedule(name)).size(), shapes) << name;
}

TEST(Schedules, SplitTheBackwardPassWhereTheySay) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        const PipelineShape shape{4, schedule.takes_chunks ? 2 : 1, 8};
        for (const auto& stage_passes : stage_passes_of_all(schedule, shape))
            for (const StagePass& stage_pass : stage_passes) {
                if (stage_pass.pass == Pass::forward) continue;
                EXPECT_EQ(stage_pass.pass != Pass::backward, schedule.splits_backward)
                    << schedule.name;
            }
    }
}

TEST(Schedules, TwoStagesTwoMicroBatchesByHand) {
    using enum Pass;
    const PipelineShape shape{2, 1, 2};
    using StagePasses = std::vector<StagePass>;
    const StagePasses in_turns{{forward, 0}, {backward, 0}, {forward, 1}, {backward, 1}};
    const StagePasses all_first{{forward, 0}, {forward, 1}, {backward, 0}, {backward, 1}};
    EXPECT_EQ(stage_passes_of_all(find_pipeline_schedule("naive"), shape),
              (PassesByStage{in_turns, in_turns}));
    EXPECT_EQ(stage_passes_of_all(find_pipeline_schedule("gpipe"), shape),
              (PassesByStage{all_first, all_first}));
    EXPECT_EQ(stage_passes_of_all(find_pipeline_schedule("1f1b"), shape),
              (PassesByStage{all_first, in_turns}));
    const StagePasses h1_first{{forward, 0},         {forward, 1},        {backward_input, 0},
                               {backward_weight, 0}, {backward_input, 1}, {backward_weight, 1}};
    const StagePasses h1_last{{forward, 0},        {backward_input, 0},  {forward, 1},
                              {backward_input, 1}, {backward_weight, 0}, {backward_weight, 1}};
    EXPECT_EQ(stage_passes_of_all(find_pipeline_schedule("zb-h1"), shape),
              (PassesByStage{h1_first, h1_last}));
    const PipelineShape chunked{2, 2, 2};
    const StagePasses first{{forward, 0, 0},  {forward, 1, 0},  {forward, 0, 1},  {forward, 1, 1},
                            {backward, 0, 1}, {backward, 1, 1}, {backward, 0, 0}, {backward, 1, 0}};
    const StagePasses last{{forward, 0, 0}, {forward, 1, 0},  {forward, 0, 1},  {backward, 0, 1},
                           {forward, 1, 1}, {backward, 1, 1}, {backward, 0, 0}, {backward, 1, 0}};
    EXPECT_EQ(stage_passes_of_all(find_pipeline_schedule("interleaved"), chunked),
              (PassesByStage{first, last}));
}

std::string refusal(const char* name, const PipelineShape& shape) {
    try {
        require_shape(find_pipeline_schedule(name), shape);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Schedules, RefuseOtherShapesWithTheNearest) {
    EXPECT_EQ(
        refusal("interleaved", {4, 2, 6}),
        "schedule interleaved runs micro-batches in rounds of 4, one per stage, which 6 do not "
        "fill: use 4 or 8");
    EXPECT_NE(refusal("interleaved", {4, 2, 3}).find("use 4"), std::string::npos);
    EXPECT_NE(refusal("interleaved", {4, 1, 4}).find("2 or more chunks"), std::string::npos);
    EXPECT_NE(refusal("1f1b", {4, 2, 4}).find("takes 1 chunk per stage, not 2"), std::string::npos);
    EXPECT_NE(refusal("zb-h2", {4, 1, 6}).find("use 7, or schedule zb-h1"), std::string::npos);
    EXPECT_NE(refusal("gpipe", {0, 1, 6}).find("must all be positive"), std::string::npos);
    EXPECT_EQ(refusal("zb-h2", {4, 1, 7}), "");
}

TEST(Schedules, UnknownNamesAreRefusedWithTheChoices) {
    try {
        find_pipeline_schedule("2f2b");
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "unknown pipeline schedule '2f2b': use 1f1b, gpipe, "
                     "interleaved, naive, zb-h1, zb-h2");
    }
}

}  // namespace
}  // namespace shardstone::validation
