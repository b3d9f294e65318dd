// SPDX-License-Identifier: BSD-3-Clause
// A process that is stopped for a while notices afterwards; one that only works, sleeps or waits
// for a core has nothing to tell.
#include "benchmarks/harness/pulse.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "benchmarks/harness/pulse_files.hpp"
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

/// A virtual machine may be held up itself, which its clock cannot tell from what is planted: such
/// a pause spoils the try that it falls into, but not so many in a row.
constexpr int tries = 6;

/// Whether in one of the tries nothing was seen.
template <class Disturb>
bool sees_nothing(bool works, Disturb&& disturb) {
    for (int attempt = 0; attempt < tries; ++attempt) {
        if (seen_by(works, disturb).empty()) return true;
    }
    return false;
}

/// A stop that is planted, as the one who plants it saw it.
struct Stop {
    double begin_s = 0.0, end_s = 0.0;
};

Stop stop_for(double stop_s, pid_t child) {
    Stop stop{now_s()};
    kill(child, SIGSTOP);
    // On a busy machine it takes a while to get the core on which it stops.
    while (state_of(child) != 'T') nap(1e-4);
    nap(stop_s);
    kill(child, SIGCONT);
    stop.end_s = now_s();
    return stop;
}

/// Plants one stop, which must be seen as what it was; true where nothing else was seen.
bool sees_only_the_stop(bool works, double stop_s) {
    Stop stop;
    const auto seen = seen_by(works, [&](pid_t child) { stop = stop_for(stop_s, child); });
    const auto found = std::ranges::find_if(seen, [&](const Standstill& one) {
        return one.begin_s < stop.end_s && stop.begin_s < one.end_s;
    });
    if (found == seen.end()) {
        ADD_FAILURE() << "a stop of " << stop_s << " s is not seen";
        return true;
    }
    EXPECT_GE(found->still_s, stop_s - 0.021);
    EXPECT_LE(found->still_s, found->end_s - found->begin_s);
    EXPECT_GE(found->end_s - found->begin_s, stop_s);
    return seen.size() == 1 && found->still_s <= stop.end_s - stop.begin_s + 0.02;
}

TEST(Pulse, SeesEveryStopAndNothingElse) {
    for (const bool works : {true, false}) {
        for (const double stop_s : {0.05, 0.08, 0.2}) {
            bool alone = false;
            for (int attempt = 0; attempt < tries && !alone; ++attempt) {
                alone = sees_only_the_stop(works, stop_s);
            }
            EXPECT_TRUE(alone) << stop_s;
        }
    }
}

TEST(Pulse, SeesNothingWhereNobodyStops) {
    for (const bool works : {true, false}) EXPECT_TRUE(sees_nothing(works, [](pid_t) {}));
}

TEST(Pulse, WaitingForACoreIsNoStandstill) {
    std::vector<pid_t> others;
    for (int i = 0; i < 16; ++i) others.push_back(another([] { work_for(60.0); }));
    EXPECT_TRUE(sees_nothing(true, [](pid_t) {}));
    for (const pid_t one : others) {
        kill(one, SIGKILL);
        waitpid(one, nullptr, 0);
    }
}

// Every number another, so that each can only be from its own column.
TEST(Pulse, ReadsTheColumnsOfTheKernel) {
    const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    EXPECT_DOUBLE_EQ(stolen_s_in("cpu  600 20 40 1000 50 3 5 700 11 13\ncpu0 1 2 3 4 5 6 7 8\n"),
                     700 * tick_s);
    EXPECT_EQ(stolen_s_in("cpu  600 20 40 1000 50 3 5"), 0.0);  // kernels before 2.6.11
    EXPECT_EQ(stolen_s_in(""), 0.0);
}

TEST(Pulse, LooksLessOftenWhereManyShareACore) {
    EXPECT_EQ(pulse_period_s(2, 2), 0.02);
    EXPECT_EQ(pulse_period_s(16, 2), 0.02);
    EXPECT_EQ(pulse_period_s(64, 2), 0.08);
    EXPECT_EQ(pulse_period_s(1, 0), 0.02);
}

}  // namespace
}  // namespace shardstone::benchmarks
