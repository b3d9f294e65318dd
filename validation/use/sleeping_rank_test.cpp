// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program: after SIGUSR1 its first thread sleeps for ever, the next time that it
// asks how long it has run. A training asks between the parts of a step, never inside a wait.
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

namespace {

volatile std::sig_atomic_t asked = 0;

const struct Listener {
    Listener() {
        std::signal(SIGUSR1, [](int) { asked = 1; });
    }
} listener;

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    const bool sleeps = asked != 0 && clock == CLOCK_THREAD_CPUTIME_ID;
    while (sleeps && syscall(SYS_gettid) == getpid()) pause();
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}
