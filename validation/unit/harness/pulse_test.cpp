// SPDX-License-Identifier: BSD-3-Clause
// A process that is stopped for a while notices afterwards; one that only works, sleeps or waits
// for a core has nothing to tell.
#include "benchmarks/harness/pulse.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "kernels/base/clock.hpp"

namespace shardstone::benchmarks {
namespace {

void nap(double duration_s) {
    std::this_thread::sleep_for(std::chrono::duration<double>(duration_s));
}

void work_for(double duration_s) {
    std::atomic<unsigned> turns = 0;
    for (const double begin_s = now_s(); now_s() - begin_s < duration_s;) ++turns;
}

/// Another process, which ends with this one.
template <class Body>
pid_t another(Body&& body) {
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    body();
    _exit(0);
}

/// The letter that the kernel has for what a process does: 'T' when it is stopped.
char state_of(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return text.at(text.rfind(')') + 2);
}

/// What a process sees that `disturb` was done to from without, while it worked or slept.
template <class Disturb>
std::vector<Standstill> seen_by(bool works, Disturb&& disturb) {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) return {};
    const pid_t child = another([&] {
        Pulse pulse(0.02);
        char go = 'g';
        [[maybe_unused]] const auto said = write(pipe_ends[1], &go, 1);
        // Asked for at once: the thread may not have looked yet when the process runs again.
        std::vector<Standstill> all;
        for (const double begin_s = now_s(); now_s() - begin_s < 0.6;) {
            works ? work_for(1e-3) : nap(1e-3);
            for (const auto& one : pulse.take()) all.push_back(one);
        }
        for (const auto& one : all) {
            [[maybe_unused]] const auto told = write(pipe_ends[1], &one, sizeof one);
        }
    });
    close(pipe_ends[1]);
    char go = 0;
    [[maybe_unused]] const auto heard = read(pipe_ends[0], &go, 1);
    nap(0.1);
    disturb(child);
    std::vector<Standstill> all;
    for (Standstill one; read(pipe_ends[0], &one, sizeof one) == sizeof one;) all.push_back(one);
    close(pipe_ends[0]);
    waitpid(child, nullptr, 0);
    return all;
}

TEST(Pulse, SeesEveryStop) {
    for (const bool works : {true, false}) {
        for (const double stop_s : {0.05, 0.08, 0.2}) {
            double stopped_s = 0.0;
            const auto seen = seen_by(works, [&](pid_t child) {
                const double begin_s = now_s();
                kill(child, SIGSTOP);
                // On a busy machine it takes a while to get the core on which it stops.
                while (state_of(child) != 'T') nap(1e-4);
                nap(stop_s);
                kill(child, SIGCONT);
                stopped_s = now_s() - begin_s;
            });
            ASSERT_EQ(seen.size(), 1U) << stop_s;
            EXPECT_GE(seen[0].still_s, stop_s - 0.021);
            EXPECT_LE(seen[0].still_s, stopped_s + 0.02);
            EXPECT_GE(seen[0].end_s - seen[0].begin_s, stop_s);
        }
    }
}

TEST(Pulse, SeesNothingWhereNobodyStops) {
    for (const bool works : {true, false}) {
        EXPECT_TRUE(seen_by(works, [](pid_t) {}).empty());
    }
}

TEST(Pulse, WaitingForACoreIsNoStandstill) {
    std::vector<pid_t> others;
    for (int i = 0; i < 16; ++i) others.push_back(another([] { work_for(60.0); }));
    EXPECT_TRUE(seen_by(true, [](pid_t) {}).empty());
    for (const pid_t one : others) {
        kill(one, SIGKILL);
        waitpid(one, nullptr, 0);
    }
}

TEST(Pulse, LooksLessOftenWhereManyShareACore) {
    EXPECT_EQ(pulse_period_s(2, 2), 0.02);
    EXPECT_EQ(pulse_period_s(16, 2), 0.02);
    EXPECT_EQ(pulse_period_s(64, 2), 0.08);
    EXPECT_EQ(pulse_period_s(1, 0), 0.02);
}

}  // namespace
}  // namespace shardstone::benchmarks
