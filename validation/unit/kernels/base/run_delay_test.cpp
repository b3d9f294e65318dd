// SPDX-License-Identifier: BSD-3-Clause
// The kernel's account of waiting for a core grows where two share one, and not while one sleeps.
#include "kernels/base/run_delay.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "kernels/base/clock.hpp"

namespace shardstone::validation {
namespace {

constexpr double worked_s = 0.2;

/// Keeps a core busy until told otherwise.
void work_until(const std::atomic<bool>& ends) {
    while (!ends) {
    }
}

/// What this thread waits for a core in worked_s, beside so many others on the same one.
double waited_beside(int others) {
    cpu_set_t before, one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_getaffinity(0, sizeof(before), &before);
    sched_setaffinity(0, sizeof(one), &one);
    std::atomic<bool> ends = false;
    std::vector<std::thread> rivals;  // inherit the affinity
    for (int i = 0; i < others; ++i) rivals.emplace_back([&] { work_until(ends); });
    const RunDelay delay;
    const double waited_s = delay.waited_s();
    for (const double begin_s = now_s(); now_s() - begin_s < worked_s;) {
    }
    const double more_s = delay.waited_s() - waited_s;
    ends = true;
    for (std::thread& rival : rivals) rival.join();
    sched_setaffinity(0, sizeof(before), &before);
    return more_s;
}

// Four share the core evenly; a busy machine can only take more of it.
TEST(RunDelay, GrowsWhereOthersHaveTheCore) {
    if (std::isnan(RunDelay().waited_s())) GTEST_SKIP() << "this kernel does not tell";
    EXPECT_GT(waited_beside(3), 0.5 * worked_s);
}

TEST(RunDelay, IsNoSleep) {
    if (std::isnan(RunDelay().waited_s())) GTEST_SKIP() << "this kernel does not tell";
    const RunDelay delay;
    const double waited_s = delay.waited_s(), begin_s = now_s();
    std::this_thread::sleep_for(std::chrono::duration<double>(worked_s));
    EXPECT_LT(delay.waited_s() - waited_s, now_s() - begin_s - worked_s + 1e-3);
}

// Every number another, so that it can only be from its own column.
TEST(RunDelay, ReadsTheColumnOfTheKernel) {
    EXPECT_DOUBLE_EQ(waited_s_in("5000000000 2500000000 12\n"), 2.5);
    EXPECT_TRUE(std::isnan(waited_s_in("")));
    EXPECT_TRUE(std::isnan(waited_s_in("5000000000")));
}

}  // namespace
}  // namespace shardstone::validation
