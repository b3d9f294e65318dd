// SPDX-License-Identifier: BSD-3-Clause
// When a paced device is done: told by itself, so that a busy machine changes nothing.
#include "reference/trainer/paced_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "kernels/base/clock.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/step/plans.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;

constexpr double input_s = 0.004;

/// On three ranks, of which the last computes three times as long.
TrainOptions paced() {
    TrainOptions options;
    static_cast<StepSpec&>(options) = small_spec(parse_plan("dp=3"), 2, 2);
    Pace& pace = options.pace.emplace();
    pace.flop_per_s = 1e6;
    pace.memory_bytes_per_s = 1e6;
    pace.input_s = input_s;
    pace.slow_rank = 2;
    pace.slow_factor = 3.0;
    return options;
}

PacedDevice device_of(const TrainOptions& options) {
    return {options, world(), step_program(options, world().rank())};
}

Action first_pass(const TrainOptions& options) {
    const StepProgram program = step_program(options, world().rank());
    return *std::ranges::find_if(program.actions, &Action::is_pass);
}

bool nothing_to_move() {
    return false;
}

/// By how much later the device is done.
double pass_s(PacedDevice& device, const Action& pass) {
    const double before_s = device.free_s();
    device.compute(pass, nothing_to_move);
    return device.free_s() - before_s;
}

double load_s(PacedDevice& device) {
    const double before_s = device.free_s();
    device.load(nothing_to_move);
    return device.free_s() - before_s;
}

TEST(PacedDevice, IsSlowInComputingAloneOnTheNamedRank) {
    const TrainOptions options = paced();
    PacedDevice device = device_of(options);
    const double mine_s = pass_s(device, first_pass(options));
    const double usual_s = world().min(mine_s);
    EXPECT_GT(usual_s, 1e-4);
    EXPECT_NEAR(mine_s, (world().rank() == 2 ? 3.0 : 1.0) * usual_s, 1e-12);
    EXPECT_NEAR(load_s(device), input_s, 1e-12);
}

// Times are since the start of the machine, of which a double resolves a nanosecond for 52 days.
TEST(PacedDevice, BeginsWhenItWasDoneHoweverLateTheRankAsks) {
    const TrainOptions options = paced();
    const Action pass = first_pass(options);
    PacedDevice device = device_of(options);
    const double usual_s = pass_s(device, pass);
    device.hold();
    const double begin_s = device.free_s();
    load_s(device);
    EXPECT_GE(now_s(), begin_s + input_s);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_NEAR(pass_s(device, pass), usual_s, 1e-9);
    EXPECT_NEAR(load_s(device), input_s, 1e-9);
    // Unless it had to wait for something else.
    device.hold();
    EXPECT_GE(device.free_s(), begin_s + input_s + 0.01);
}

}  // namespace
}  // namespace shardstone::validation
