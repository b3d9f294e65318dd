// SPDX-License-Identifier: BSD-3-Clause
// Wrong schedules, each caught by the comparison that the right ones pass (schedules_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/step/schedules/alternation.hpp"
#include "validation/unit/reference/step/schedules/virtual_time.hpp"

namespace shardstone::validation {
namespace {

using reference::Alternation;
using reference::find_pipeline_schedule;
using reference::pipeline_schedules;

constexpr PassTimes alike{1, 1, 1};
constexpr PipelineShape four{4, 1, 8};

PipelineShape shape_for(const PipelineSchedule& schedule) {
    return {4, schedule.takes_chunks ? 2 : 1, 8};
}

/// What a schedule with these stage passes instead of its own is caught by.
std::string caught(const PipelineSchedule& schedule, const PipelineShape& shape,
                   const PassesByStage& stage_passes) {
    return difference(schedule, shape, stage_passes, alike);
}

/// 1F1B with `more` forward passes ahead than needed on every stage.
PassesByStage warmed_up(std::int64_t more) {
    PassesByStage stage_passes;
    for (int stage = 0; stage < four.stages; ++stage) {
        const std::int64_t ahead = four.stages - 1 - stage + more;
        stage_passes.push_back(stage_passes_of(Alternation{
            .shape = four, .warm_up = std::clamp<std::int64_t>(ahead, 0, four.micro_batches)}));
    }
    return stage_passes;
}

/// Zero bubble with the weight halves `later` micro-batches later.
PassesByStage delayed(std::int64_t later) {
    PassesByStage stage_passes;
    for (int stage = 0; stage < four.stages; ++stage)
        stage_passes.push_back(
            stage_passes_of(Alternation{.shape = four,
                                        .warm_up = four.stages - 1 - stage,
                                        .splits_backward = true,
                                        .weight_delay = std::max<std::int64_t>(0, stage + later)}));
    return stage_passes;
}

TEST(PlantedSchedule, NothingPlantedPasses) {
    EXPECT_EQ(caught(find_pipeline_schedule("1f1b"), four, warmed_up(0)), "");
    EXPECT_EQ(caught(find_pipeline_schedule("zb-h1"), four, delayed(0)), "");
}

TEST(PlantedSchedule, WarmUpOffByOne) {
    const PipelineSchedule& schedule = find_pipeline_schedule("1f1b");
    EXPECT_NE(caught(schedule, four, warmed_up(-1)).find("bubble"), std::string::npos);
    EXPECT_EQ(caught(schedule, four, warmed_up(1)), "stage 0 keeps 5 activations, not 4");
}

TEST(PlantedSchedule, WeightsOneMicroBatchTooEarlyOrLate) {
    const PipelineSchedule& schedule = find_pipeline_schedule("zb-h1");
    EXPECT_NE(caught(schedule, four, delayed(-1)).find("bubble"), std::string::npos);
    EXPECT_NE(caught(schedule, four, delayed(1)), "");
}

TEST(PlantedSchedule, AnyTurnMissing) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        const PipelineShape shape = shape_for(schedule);
        const PassesByStage right = stage_passes_of_all(schedule, shape);
        for (std::size_t stage = 0; stage < right.size(); ++stage)
            for (std::size_t stage_pass = 0; stage_pass < right[stage].size(); ++stage_pass) {
                PassesByStage stage_passes = right;
                stage_passes[stage].erase(stage_passes[stage].begin() +
                                          static_cast<std::ptrdiff_t>(stage_pass));
                ASSERT_NE(caught(schedule, shape, stage_passes), "")
                    << schedule.name << ", stage " << stage << ", pass " << stage_pass;
            }
    }
}

TEST(PlantedSchedule, AnyTurnTwice) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        const PipelineShape shape = shape_for(schedule);
        const PassesByStage right = stage_passes_of_all(schedule, shape);
        for (std::size_t stage = 0; stage < right.size(); ++stage)
            for (const StagePass& again : right[stage]) {
                PassesByStage stage_passes = right;
                stage_passes[stage].push_back(again);
                ASSERT_NE(caught(schedule, shape, stage_passes), "") << schedule.name;
            }
    }
}

TEST(PlantedSchedule, MicroBatchesSwapped) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        const PipelineShape shape = shape_for(schedule);
        PassesByStage stage_passes = stage_passes_of_all(schedule, shape);
        // The last backward passes of a stage: no time is lost, but gradients add up differently.
        std::vector<StagePass>& last = stage_passes[1];
        const auto back = last.rbegin();
        const auto same = std::find_if(back + 1, last.rend(), [&](const StagePass& stage_pass) {
            return stage_pass.pass == back->pass && stage_pass.chunk == back->chunk;
        });
        ASSERT_NE(same, last.rend());
        std::iter_swap(back, same);
        EXPECT_NE(caught(schedule, shape, stage_passes).find("is next"), std::string::npos)
            << schedule.name;
    }
}

TEST(PlantedSchedule, BackwardBeforeForwardAndWeightBeforeInput) {
    using enum Pass;
    const PipelineShape one{1, 1, 1};
    EXPECT_EQ(caught(find_pipeline_schedule("gpipe"), one, {{{backward, 0}, {forward, 0}}}),
              "stage 0 waits for ever before pass 0, backward of micro-batch 0 on chunk 0");
    EXPECT_EQ(caught(find_pipeline_schedule("zb-h1"), one,
                     {{{forward, 0}, {backward_weight, 0}, {backward_input, 0}}}),
              "stage 0 waits for ever before pass 1, backward_weight of micro-batch 0 on chunk 0");
    EXPECT_EQ(caught(find_pipeline_schedule("zb-h1"), one, {{{forward, 0}, {backward_input, 0}}}),
              "stage 0: 0 passes of a kind on a chunk, not 1");
}

TEST(PlantedSchedule, StagesThatDoNotAgreeWaitForEver) {
    PassesByStage stage_passes = stage_passes_of_all(find_pipeline_schedule("gpipe"), four);
    stage_passes[0] = find_pipeline_schedule("naive").stage_passes(four, 0);
    EXPECT_NE(caught(find_pipeline_schedule("gpipe"), four, stage_passes).find("waits for ever"),
              std::string::npos);
}

TEST(PlantedSchedule, ChunksInTheWrongOrder) {
    const PipelineSchedule& schedule = find_pipeline_schedule("interleaved");
    const PipelineShape shape = shape_for(schedule);
    PassesByStage stage_passes = stage_passes_of_all(schedule, shape);
    for (std::vector<StagePass>& own : stage_passes)
        for (StagePass& stage_pass : own)
            if (stage_pass.pass == Pass::backward) stage_pass.chunk = 1 - stage_pass.chunk;
    EXPECT_NE(caught(schedule, shape, stage_passes).find("waits for ever"), std::string::npos);
    PassesByStage beyond = stage_passes_of_all(schedule, shape);
    beyond[2][0].chunk = 2;
    EXPECT_NE(caught(schedule, shape, beyond).find("no such chunk"), std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
