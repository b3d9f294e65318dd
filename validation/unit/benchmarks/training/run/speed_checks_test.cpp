// SPDX-License-Identifier: BSD-3-Clause
// The checks of a training's speed see shares above 100 %.
#include <gtest/gtest.h>

#include <algorithm>

#include "benchmarks/training/run/checks.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr int cores = 2;
constexpr double duration_s = 10.0;

/// Three ranks that are busy for this share of what the cores can give, and wait for long besides.
benchmarks::TrainingResult busy_for(double share) {
    constexpr int ranks = 3;
    const double rank_s = share * cores * duration_s / ranks;
    benchmarks::TrainingResult result;
    result.steps.emplace_back();
    result.duration_s = duration_s;
    for (int rank = 0; rank < ranks; ++rank) {
        StepPartTimes& phases = result.rank_steps.emplace_back().phases;
        phases[static_cast<std::size_t>(StepPart::compute)] = 0.5 * rank_s;
        phases[static_cast<std::size_t>(StepPart::data)] = 0.2 * rank_s;
        phases[static_cast<std::size_t>(StepPart::optimizer)] = 0.3 * rank_s;
        phases[static_cast<std::size_t>(StepPart::communication)] = 40.0;
        phases[static_cast<std::size_t>(StepPart::preempted)] = 50.0;
    }
    return result;
}

/// A step of 4 s on cores of 5 GFLOP/s each.
benchmarks::Throughput with_mfu(double mfu) {
    benchmarks::Throughput speed;
    speed.step = {4.0, 3.0, 6.0};
    speed.peak.core_flop_per_s = 5e9;
    speed.peak.cores = cores;
    speed.tokens_per_step = 100;
    speed.flop_per_token = mfu * cores * 5e9 * 4.0 / 100.0;
    return speed;
}

bool passes(const std::string& name, const benchmarks::TrainingResult& result,
            const benchmarks::Throughput& speed) {
    for (const auto& check : benchmarks::checks_of({}, result, speed)) {
        if (check.name == name) return check.passed;
    }
    ADD_FAILURE() << "no check " << name;
    return false;
}

TEST(SpeedChecks, SeeRanksThatAreBusyForLongerThanTheirCores) {
    const std::string name = "the ranks were busy for no longer than their cores";
    EXPECT_TRUE(passes(name, busy_for(0.99), with_mfu(0.5)));
    EXPECT_TRUE(passes(name, busy_for(1.005), with_mfu(0.5))) << "clocks are that far off";
    EXPECT_FALSE(passes(name, busy_for(1.02), with_mfu(0.5)));
}

TEST(SpeedChecks, SeeMoreThanThePeak) {
    const std::string name = "MFU is at most 100 % of the measured peak";
    EXPECT_TRUE(passes(name, busy_for(0.5), with_mfu(0.99)));
    EXPECT_FALSE(passes(name, busy_for(0.5), with_mfu(1.01)));
}

// Whichever measurement of the peak saw it: the steps in between may be wrong.
TEST(SpeedChecks, SeeAGpuThatMultipliesWrong) {
    const std::string name = "every GPU multiplies right at the end";
    const auto names = [](const benchmarks::Throughput& speed) {
        std::vector<std::string> found;
        for (const auto& check : benchmarks::checks_of({}, busy_for(0.5), speed)) {
            found.push_back(check.name);
        }
        return found;
    };
    auto speed = with_mfu(0.5);
    EXPECT_EQ(std::ranges::count(names(speed), name), 0);
    const benchmarks::BusyPeak sound = speed.peak;
    benchmarks::BusyPeak wrong;
    wrong.fault = "rank 1: GPU 0000:02:00.0 computes wrong";
    for (const auto& peak : {better_of(sound, wrong), better_of(wrong, sound)}) {
        EXPECT_EQ(peak.core_flop_per_s, sound.core_flop_per_s);
        speed.peak = peak;
        EXPECT_FALSE(passes(name, busy_for(0.5), speed));
    }
}

}  // namespace
}  // namespace shardstone::validation
