// SPDX-License-Identifier: BSD-3-Clause
// Computations of a paced training take the time of a device: the rank sleeps.
#include "reference/trainer/paced_device.hpp"

#include <time.h>

#include <algorithm>

#include "collectives/cluster/waiting.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::reference {

namespace {

// Between two looks at the messages: a tenth of what a gradient bucket takes on a fast network.
// Where ranks share a core, each looks as much more seldom, so that together they keep it a tenth
// busy.
constexpr double look_every_s = 50e-6;

// How long a signal may remain unanswered: as long as the ranks of any training take to look for
// one between two steps (StopSign).
constexpr double answer_s = 0.25;

void sleep_for(double time_s) {
    const auto ns = static_cast<long>(std::clamp(time_s, 0.0, answer_s) * 1e9);
    const timespec pause{0, ns};
    nanosleep(&pause, nullptr);
}

}  // namespace

Machine paced_machine(const TrainOptions& options) {
    const Pace& pace = options.pace.value();
    return typical_node(options.plan.ranks(), pace.flop_per_s, pace.memory_bytes_per_s);
}

PacedDevice::PacedDevice(const TrainOptions& options, const collectives::Communicator& world,
                         const StepProgram& program)
    : costs_(options, paced_machine(options), memory_options(options)),
      rank_(world.rank()),
      factor_(rank_ == options.pace->slow_rank ? options.pace->slow_factor : 1.0),
      input_s_(options.pace->input_s) {
    if (world.max(busy_s(program)) >= answer_s) call_ = std::make_unique<StopCall>(world);
}

double PacedDevice::busy_s(const StepProgram& program) const {
    double busy_s = 0.0;
    for (const Action& action : program.actions) {
        if (action.is_communication()) continue;
        busy_s += factor_ * costs_.compute_s(rank_, action);
        // No more often than that is a micro-batch loaded.
        const bool may_load = action.kind == Action::Kind::forward && action.unit == 0;
        if (may_load && action.begins_pass()) busy_s += input_s_;
    }
    return busy_s;
}

void PacedDevice::begin_step() {
    hold();
    if (call_) call_->begin();
}

bool PacedDevice::end_step() {
    return call_ && call_->end();
}

void PacedDevice::look_for_signals() {
    if (call_ && call_->heard()) is_cut_short_ = true;
}

void PacedDevice::hold() {
    free_s_ = std::max(free_s_, now_s());
}

void PacedDevice::compute(const Action& action, const Progress& progress) {
    free_s_ += factor_ * costs_.compute_s(rank_, action);
    sleep(progress);
}

void PacedDevice::load(const Progress& progress) {
    free_s_ += input_s_;
    sleep(progress);
}

void PacedDevice::sleep(const Progress& progress) const {
    const double look_s = look_every_s * collectives::Waiter::ranks_per_core();
    for (double left_s = free_s_ - now_s(); left_s > 0.0 && !is_cut_short_;
         left_s = free_s_ - now_s()) {
        sleep_for(progress() ? std::min(left_s, look_s) : left_s);
    }
}

}  // namespace shardstone::reference
