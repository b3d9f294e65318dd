// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/interrupt.hpp"

#include <csignal>

namespace shardstone {

namespace {

volatile std::sig_atomic_t interrupt_noted = 0;

extern "C" void note_interrupt(int /*signal*/) {
    interrupt_noted = 1;
}

}  // namespace

void catch_interrupts() {
    struct sigaction action = {};
    action.sa_handler = note_interrupt;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESETHAND | SA_RESTART;  // the next one has its usual effect
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() noexcept {
    return interrupt_noted != 0;
}

}  // namespace shardstone
