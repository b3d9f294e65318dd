// SPDX-License-Identifier: BSD-3-Clause
// Of two threads on one core, the woken one moves to another, and stays free to move on.
#include "collectives/cluster/step_aside.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <functional>
#include <thread>

#include "collectives/cluster/doorbell.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

cpu_set_t allowed_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    EXPECT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
    return cores;
}

void may_use(const cpu_set_t& cores) {
    ASSERT_EQ(sched_setaffinity(0, sizeof cores, &cores), 0);
}

cpu_set_t only(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    return cores;
}

/// Has a thread of its own do this, as what is done to a thread's cores stays with it.
void in_a_thread(const std::function<void()>& what) {
    std::thread(what).join();
}

/// Whether this thread is elsewhere after it, put onto `core` before, in most of 20 tries: between
/// two instructions of this test the scheduler, too, may move a thread, but not time after time.
bool leaves(int core, const cpu_set_t& cores, const std::function<void()>& what) {
    constexpr int tries = 20;
    int left = 0;
    for (int i = 0; i < tries; ++i) {
        may_use(only(core));
        may_use(cores);
        what();
        if (current_core() != core) ++left;
    }
    return left > tries / 2;
}

class StepAside : public testing::Test {
  protected:
    void SetUp() override {
        if (CPU_COUNT(&cores_) < 2) GTEST_SKIP() << "a single core may be used here";
    }
    void TearDown() override { Waiter::configure(1, 1); }

    const cpu_set_t cores_ = allowed_cores();
    const int here_ = current_core();
};

TEST_F(StepAside, LeavesTheCoreAndMayUseItLater) {
    in_a_thread([&] {
        EXPECT_TRUE(leaves(here_, cores_, [&] { step_aside_from(here_); }));
        const cpu_set_t after = allowed_cores();
        EXPECT_TRUE(CPU_EQUAL(&after, &cores_));
    });
}

TEST_F(StepAside, StaysWhereItIsNotInTheWay) {
    in_a_thread([&] {
        EXPECT_FALSE(leaves(here_, cores_, [&] { step_aside_from(here_ + 1); }));
        EXPECT_FALSE(leaves(here_, cores_, [&] { step_aside_from(-1); }));
    });
}

TEST_F(StepAside, StaysWhereItIsBound) {
    in_a_thread([&] {
        may_use(only(here_));
        EXPECT_FALSE(step_aside_from(here_));
        const cpu_set_t after = allowed_cores(), bound = only(here_);
        EXPECT_TRUE(CPU_EQUAL(&after, &bound));
    });
}

TEST_F(StepAside, AWokenRankLeavesTheRingersCore) {
    // The ring comes between look and sleep, so that the scheduler has no part in the waking.
    const auto is_woken = [] {
        Doorbell bell{};
        const Doorbell::Listener listener(bell);
        bell.ring();
        EXPECT_TRUE(listener.sleep());
    };
    in_a_thread([&] {
        Waiter::configure(2, 2);
        EXPECT_TRUE(leaves(here_, cores_, is_woken));
        Waiter::configure(3, 2);
        EXPECT_FALSE(leaves(here_, cores_, is_woken)) << "ranks that share cores meet on them";
    });
}

}  // namespace
}  // namespace shardstone::validation
