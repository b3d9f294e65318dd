// SPDX-License-Identifier: BSD-3-Clause
// A step's time is shared out to its parts, whole.
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

TEST(StepClock, SharesTheTimeOfAStepOut) {
    StepClock clock;
    clock.count_the_wall();
    clock.restart(StepPart::compute);
    const double begin_s = clock.since_s();
    spend(0.02);
    {
        const StepPartScope scope(clock, StepPart::optimizer);
        spend(0.01);
        const StepPartScope inner(clock, StepPart::communication);
        spend(0.005);
    }
    const auto times = clock.stop();
    EXPECT_GE(of(times, StepPart::compute), 0.02 - 1e-6);
    EXPECT_GE(of(times, StepPart::optimizer), 0.01 - 1e-6);
    EXPECT_GE(of(times, StepPart::communication), 0.005 - 1e-6);
    EXPECT_NEAR(std::accumulate(times.begin(), times.end(), 0.0), clock.since_s() - begin_s, 1e-9);
}

}  // namespace
}  // namespace shardstone::validation
