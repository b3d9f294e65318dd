// SPDX-License-Identifier: BSD-3-Clause
// A step's time is shared out to its parts, whole, and passed on from one to another.
#include <gtest/gtest.h>

#include <numeric>

#include "reference/trainer/clock.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

double of(const StepPartTimes& times, StepPart part) {
    return times[static_cast<std::size_t>(part)];
}

void spend(double time_s) {
    const double until_s = now_s() + time_s;
    while (now_s() < until_s) {
    }
}

TEST(StepClock, PassesTimeOnAndLosesNone) {
    StepClock clock;
    clock.count_the_wall();
    clock.restart(StepPart::compute);
    const double begin_s = clock.since_s();
    spend(0.02);
    clock.pass_on(StepPart::communication, 0.005);
    const auto times = clock.stop();
    EXPECT_DOUBLE_EQ(of(times, StepPart::communication), 0.005);
    EXPECT_GE(of(times, StepPart::compute), 0.015 - 1e-6);
    EXPECT_NEAR(std::accumulate(times.begin(), times.end(), 0.0), clock.since_s() - begin_s, 1e-9);
}

TEST(StepClock, PassesOnTheTimeOfThePartThatIsUnderWay) {
    StepClock clock;
    clock.count_the_wall();
    clock.restart(StepPart::compute);
    spend(0.01);
    {
        const StepPartScope scope(clock, StepPart::optimizer);
        spend(0.01);
        clock.pass_on(StepPart::communication, 0.004);
    }
    const auto times = clock.stop();
    EXPECT_DOUBLE_EQ(of(times, StepPart::communication), 0.004);
    EXPECT_GE(of(times, StepPart::compute), 0.01 - 1e-6) << "which keeps all of its own";
    EXPECT_GE(of(times, StepPart::optimizer), 0.006 - 1e-6);
}

TEST(StepClock, NoPartHasLessThanNothing) {
    StepClock clock;
    clock.count_the_wall();
    clock.restart(StepPart::data);
    spend(0.001);
    clock.pass_on(StepPart::communication, 100.0);
    const auto times = clock.stop();
    EXPECT_GE(of(times, StepPart::data), 0.0);
    EXPECT_GE(of(times, StepPart::communication), 0.001 - 1e-6);
    EXPECT_LT(of(times, StepPart::communication), 1.0);
}

}  // namespace
}  // namespace shardstone::validation
