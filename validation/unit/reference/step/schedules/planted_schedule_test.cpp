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

/// What a schedule with these turns instead of its own is caught by.
std::string caught(const PipelineSchedule& schedule, const PipelineShape& shape,
                   const StageTurns& turns) {
    return difference(schedule, shape, turns, alike);
}

/// 1F1B with `more` forward passes ahead than needed on every stage.
StageTurns warmed_up(std::int64_t more) {
    StageTurns turns;
    for (int stage = 0; stage < four.stages; ++stage) {
        const std::int64_t ahead = four.stages - 1 - stage + more;
        turns.push_back(turns_of(Alternation{
            .shape = four, .warm_up = std::clamp<std::int64_t>(ahead, 0, four.micro_batches)}));
    }
    return turns;
}

/// Zero bubble with the weight halves `later` micro-batches later.
StageTurns delayed(std::int64_t later) {
    StageTurns turns;
    for (int stage = 0; stage < four.stages; ++stage)
        turns.push_back(
            turns_of(Alternation{.shape = four,
                                 .warm_up = four.stages - 1 - stage,
                                 .splits_backward = true,
                                 .weight_delay = std::max<std::int64_t>(0, stage + later)}));
    return turns;
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
        const StageTurns right = turns_of_all(schedule, shape);
        for (std::size_t stage = 0; stage < right.size(); ++stage)
            for (std::size_t turn = 0; turn < right[stage].size(); ++turn) {
                StageTurns turns = right;
                turns[stage].erase(turns[stage].begin() + static_cast<std::ptrdiff_t>(turn));
                ASSERT_NE(caught(schedule, shape, turns), "")
                    << schedule.name << ", stage " << stage << ", turn " << turn;
            }
    }
}

TEST(PlantedSchedule, AnyTurnTwice) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        const PipelineShape shape = shape_for(schedule);
        const StageTurns right = turns_of_all(schedule, shape);
        for (std::size_t stage = 0; stage < right.size(); ++stage)
            for (const Turn& again : right[stage]) {
                StageTurns turns = right;
                turns[stage].push_back(again);
                ASSERT_NE(caught(schedule, shape, turns), "") << schedule.name;
            }
    }
}

TEST(PlantedSchedule, MicroBatchesSwapped) {
    for (const PipelineSchedule& schedule : pipeline_schedules()) {
        const PipelineShape shape = shape_for(schedule);
        StageTurns turns = turns_of_all(schedule, shape);
        // The last backward passes of a stage: no time is lost, but gradients add up differently.
        std::vector<Turn>& last = turns[1];
        const auto back = last.rbegin();
        const auto same = std::find_if(back + 1, last.rend(), [&](const Turn& turn) {
            return turn.pass == back->pass && turn.chunk == back->chunk;
        });
        ASSERT_NE(same, last.rend());
        std::iter_swap(back, same);
        EXPECT_NE(caught(schedule, shape, turns).find("is next"), std::string::npos)
            << schedule.name;
    }
}

TEST(PlantedSchedule, BackwardBeforeForwardAndWeightBeforeInput) {
    using enum Pass;
    const PipelineShape one{1, 1, 1};
    EXPECT_EQ(caught(find_pipeline_schedule("gpipe"), one, {{{backward, 0}, {forward, 0}}}),
              "stage 0 waits for ever before turn 0, backward of micro-batch 0 on chunk 0");
    EXPECT_EQ(caught(find_pipeline_schedule("zb-h1"), one,
                     {{{forward, 0}, {backward_weight, 0}, {backward_input, 0}}}),
              "stage 0 waits for ever before turn 1, backward_weight of micro-batch 0 on chunk 0");
    EXPECT_EQ(caught(find_pipeline_schedule("zb-h1"), one, {{{forward, 0}, {backward_input, 0}}}),
              "stage 0: 0 passes of a kind on a chunk, not 1");
}

TEST(PlantedSchedule, StagesThatDoNotAgreeWaitForEver) {
    StageTurns turns = turns_of_all(find_pipeline_schedule("gpipe"), four);
    turns[0] = find_pipeline_schedule("naive").turns(four, 0);
    EXPECT_NE(caught(find_pipeline_schedule("gpipe"), four, turns).find("waits for ever"),
              std::string::npos);
}

TEST(PlantedSchedule, ChunksInTheWrongOrder) {
    const PipelineSchedule& schedule = find_pipeline_schedule("interleaved");
    const PipelineShape shape = shape_for(schedule);
    StageTurns turns = turns_of_all(schedule, shape);
    for (std::vector<Turn>& own : turns)
        for (Turn& turn : own)
            if (turn.pass == Pass::backward) turn.chunk = 1 - turn.chunk;
    EXPECT_NE(caught(schedule, shape, turns).find("waits for ever"), std::string::npos);
    StageTurns beyond = turns_of_all(schedule, shape);
    beyond[2][0].chunk = 2;
    EXPECT_NE(caught(schedule, shape, beyond).find("no such chunk"), std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
