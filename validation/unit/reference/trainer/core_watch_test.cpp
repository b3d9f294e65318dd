// SPDX-License-Identifier: BSD-3-Clause
// A rank without a core is late for a message that is there, and for none that is not.
#include "reference/trainer/core_watch.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

namespace shardstone::validation {
namespace {

using namespace reference;

/// On one core with another thread that keeps it busy, while this object lives.
class SharedCore {
  public:
    SharedCore() {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        sched_getaffinity(0, sizeof(before_), &before_);
        sched_setaffinity(0, sizeof(one), &one);
        rival_ = std::thread([this] {  // inherits the affinity
            while (!ends_) {
            }
        });
    }
    SharedCore(const SharedCore&) = delete;
    SharedCore& operator=(const SharedCore&) = delete;
    ~SharedCore() {
        ends_ = true;
        rival_.join();
        sched_setaffinity(0, sizeof(before_), &before_);
    }

  private:
    cpu_set_t before_{};
    std::atomic<bool> ends_ = false;
    std::thread rival_;
};

/// Yields to the other thread until the kernel has counted so much more.
void wait_for_a_core(double waited_s) {
    const RunDelay delay;
    for (const double before_s = delay.waited_s(); delay.waited_s() - before_s < waited_s;) {
        sched_yield();
    }
}

class TheCoreWatch : public testing::Test {
  protected:
    void SetUp() override {
        if (std::isnan(RunDelay().waited_s())) GTEST_SKIP() << "this kernel does not tell";
    }
};

TEST_F(TheCoreWatch, SeesAMessageThatLayThere) {
    const SharedCore shared;
    CoreWatch watch;
    watch.begin_step();
    const double begin_s = now_s();
    watch.looked(begin_s, false);
    wait_for_a_core(0.02);
    const double looked_s = now_s();
    watch.looked(looked_s, true);
    watch.end_step({begin_s, looked_s});
    const RankWaits& step = watch.steps().at(0);
    ASSERT_EQ(step.late_looks.size(), 1U);
    EXPECT_EQ(step.late_looks[0].end_s, looked_s);
    EXPECT_LE(step.late_looks[0].begin_s, looked_s - 0.02);
    EXPECT_GE(step.late_looks[0].begin_s, begin_s);
    EXPECT_EQ(step.begin_s, begin_s);
    EXPECT_EQ(step.end_s, looked_s);
}

// As of one that waits for a slow link beside others that do: it waited for its core all the time,
// and then no longer than since its last look.
TEST_F(TheCoreWatch, SeesNoneThatWasNotThereYet) {
    const SharedCore shared;
    CoreWatch watch;
    watch.begin_step();
    wait_for_a_core(0.02);
    watch.looked(now_s(), false);
    const double last_s = now_s();
    watch.looked(last_s, false);
    EXPECT_TRUE(watch.steps().at(0).late_looks.empty());
    const double looked_s = now_s();
    watch.looked(looked_s, true);
    for (const ActionSpan& one : watch.steps().at(0).late_looks) {
        EXPECT_GE(one.begin_s, last_s);
    }
}

// What it waited for its core before a step began made no message of that step late, however long
// it waits for that one, with its core.
TEST_F(TheCoreWatch, CountsNothingThatWasBeforeTheStep) {
    CoreWatch watch;
    watch.begin_step();
    {
        const SharedCore shared;
        wait_for_a_core(0.02);
    }
    const RunDelay delay;
    const double before_s = delay.waited_s();
    watch.begin_step();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    watch.looked(now_s(), true);
    const double waited_s = delay.waited_s() - before_s;
    for (const ActionSpan& one : watch.steps().at(1).late_looks) {
        EXPECT_LE(one.end_s - one.begin_s, waited_s + 1e-9) << "rounding";
    }
}

TEST_F(TheCoreWatch, TellsWaitingInAComputationFromThatBeforeIt) {
    const SharedCore shared;
    CoreWatch watch;
    const double begin_s = now_s();
    watch.begin_step();
    wait_for_a_core(0.02);
    watch.begin_computation();
    wait_for_a_core(0.06);
    watch.end_computation();
    const double took_s = now_s() - begin_s;
    const RankWaits& step = watch.steps().at(0);
    ASSERT_EQ(step.computations.size(), 1U);
    EXPECT_GE(step.computations[0].before_s, 0.02);
    EXPECT_GE(step.computations[0].within_s, 0.06);
    EXPECT_LE(step.computations[0].before_s + step.computations[0].within_s, took_s);
}

}  // namespace
}  // namespace shardstone::validation
