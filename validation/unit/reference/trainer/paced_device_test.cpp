// SPDX-License-Identifier: BSD-3-Clause
// When a paced device is done: told by itself, so that a busy machine changes nothing.
#include "reference/trainer/paced_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "kernels/base/clock.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/trainer/trainer.hpp"
#include "validation/unit/mpi_test_main.hpp"
#include "validation/unit/reference/step/plans.hpp"
#include "validation/unit/reference/trainer/synthetic_language.hpp"

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

/// Whether a step is cut short that keeps the last device busy for a tenth of a second if it
/// computes as the others do, when a signal has reached another rank.
bool is_cut_short(double slow_factor) {
    TrainOptions options = paced();
    options.pace->input_s = 0.0;
    options.pace->slow_factor = 1.0;
    const PlanCosts costs(options, paced_machine(options), memory_options(options));
    double busy_s = 0.0;
    for (const Action& action : step_program(options, 2).actions) {
        if (!action.is_communication()) busy_s += costs.compute_s(2, action);
    }
    options.pace->flop_per_s *= busy_s / 0.1;
    options.pace->memory_bytes_per_s *= busy_s / 0.1;
    options.pace->slow_factor = slow_factor;
    PacedDevice device = device_of(options);
    device.begin_step();
    device.look_for_signals();
    return device.end_step();
}

/// Of a training of some steps.
std::vector<RankWaits> waits_of_training(const TrainOptions& options) {
    const Dataset text = text_in(MarkovLanguage(1, 4, 1), 5000, 1000);
    Trainer<float, Paced> trainer(world(), options, text, step_program(options, world().rank()));
    trainer.record_trace();
    for (std::int64_t step = 0; step < options.steps; ++step) trainer.step();
    return trainer.waits();
}

// Whoever waits for a device needs no core, and what its computations take is their pace alone. The
// kernel counts a little whenever a rank wakes up in one.
TEST(PacedDevice, IsNotWatchedForACore) {
    TrainOptions options = paced();
    options.pace->flop_per_s = options.pace->memory_bytes_per_s = 2e7;
    options.steps = 5;
    const auto waits = waits_of_training(options);
    ASSERT_EQ(waits.size(), 5U);
    for (const RankWaits& step : waits) {
        EXPECT_FALSE(step.computations.empty()) << "the rank may come late to what follows";
        for (const auto& one : step.computations) EXPECT_EQ(one.within_s, 0.0);
        EXPECT_GT(step.end_s, step.begin_s);
    }
}

// It is the last test: the signal stays noted.
TEST(PacedDevice, OfASlowRankMakesStepsLong) {
    catch_interrupts("this test");
    if (world().rank() == 1) std::raise(SIGTERM);
    EXPECT_FALSE(is_cut_short(2.0)) << "0.2 s soon end";
    EXPECT_TRUE(is_cut_short(3.0)) << "0.3 s are cut short on every rank";
}

}  // namespace
}  // namespace shardstone::validation
