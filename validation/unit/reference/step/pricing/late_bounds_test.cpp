// SPDX-License-Identifier: BSD-3-Clause
// What a link needed once beyond all lateness, it needs in every step.
#include "reference/step/pricing/late_bounds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace shardstone::validation {
namespace {

using namespace reference;
using Movement = StepTimes::Movement;

StepTimes step_of(const Movement& first, const Movement& second, const Movement& message) {
    StepTimes step;
    step.transfers[{0, GroupKind::data}] = {first, second};
    step.messages[{0, 1, 7}] = message;
    return step;
}

TEST(LateBounds, AreThoseOfAllSteps) {
    std::vector<StepTimes> steps{
        step_of({.time_s = 12.0, .late_s = 11.0}, {.time_s = 5.0, .late_s = 5.0},
                {.time_s = 3.0, .late_s = 2.0}),
        step_of({.time_s = 11.0, .late_s = 3.0}, {.time_s = 2.0, .late_s = 2.0},
                {.time_s = 9.0, .late_s = 4.0}),
        step_of({.time_s = 7.0, .late_s = 6.0}, {.time_s = 4.0, .late_s = 4.0},
                {.time_s = 4.0, .late_s = 1.0})};
    bound_lateness(steps);
    const auto late_s = [&](std::size_t step, std::size_t which) {
        return which == 2 ? steps[step].messages.begin()->second.late_s
                          : steps[step].transfers.begin()->second[which].late_s;
    };
    // The first transfer needs 8 s at least, as step 1 has it; a link was faster in step 2.
    EXPECT_EQ(late_s(0, 0), 4.0);
    EXPECT_EQ(late_s(1, 0), 3.0);
    EXPECT_EQ(late_s(2, 0), 0.0);
    // The second may have been there at once in all steps.
    EXPECT_EQ(late_s(0, 1), 5.0);
    EXPECT_EQ(late_s(1, 1), 2.0);
    EXPECT_EQ(late_s(2, 1), 4.0);
    // The message needs 5 s.
    EXPECT_EQ(late_s(0, 2), 0.0);
    EXPECT_EQ(late_s(1, 2), 4.0);
    EXPECT_EQ(late_s(2, 2), 0.0);
}

TEST(LateBounds, OfOneStepSayNothingMore) {
    std::vector<StepTimes> steps{step_of({.time_s = 12.0, .late_s = 11.0},
                                         {.time_s = 5.0, .late_s = 5.0},
                                         {.time_s = 3.0, .late_s = 2.0})};
    bound_lateness(steps);
    EXPECT_EQ(steps[0].transfers.begin()->second[0].late_s, 11.0);
    EXPECT_EQ(steps[0].messages.begin()->second.late_s, 2.0);
    bound_lateness({});
}

}  // namespace
}  // namespace shardstone::validation
