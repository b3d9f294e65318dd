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

void sleep_for(double time_s) {
    const auto ns = static_cast<long>(std::clamp(time_s, 0.0, 0.9) * 1e9);
    const timespec pause{0, ns};
    nanosleep(&pause, nullptr);
}

}  // namespace

Machine paced_machine(const TrainOptions& options) {
    const Pace& pace = options.pace.value();
    return typical_node(options.plan.ranks(), pace.flop_per_s, pace.memory_bytes_per_s);
}

PacedDevice::PacedDevice(const TrainOptions& options, int rank)
    : costs_(options, paced_machine(options), memory_options(options)),
      rank_(rank),
      factor_(rank == options.pace->slow_rank ? options.pace->slow_factor : 1.0),
      input_s_(options.pace->input_s) {}

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
    for (double left_s = free_s_ - now_s(); left_s > 0.0; left_s = free_s_ - now_s()) {
        sleep_for(progress() ? std::min(left_s, look_s) : left_s);
    }
}

}  // namespace shardstone::reference
