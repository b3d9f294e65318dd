// SPDX-License-Identifier: BSD-3-Clause
// When a wait is said to be one, on a machine that has much else to do.
#include "collectives/cluster/waiting.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {
namespace {

/// What begins in this scope shares one core.
class OnOneCore {
  public:
    OnOneCore() {
        CPU_ZERO(&before_);
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    ~OnOneCore() { sched_setaffinity(0, sizeof before_, &before_); }
    OnOneCore(const OnOneCore&) = delete;
    OnOneCore& operator=(const OnOneCore&) = delete;

  private:
    cpu_set_t before_{};
};

class FromRank3 final : public Awaited {
  public:
    std::string waits_for() const override { return "a word from rank 3"; }
};

// 20000 yields, each of which costs the neighbours' time slices, took minutes.
TEST(Waiter, SaysWhatItWaitsForWhereEveryYieldIsSlow) {
    const OnOneCore shared;
    Waiter::configure(2, 1);
    std::atomic<bool> over = false;
    std::vector<std::thread> neighbours;
    for (int i = 0; i < 2; ++i) {
        neighbours.emplace_back([&over] {
            while (!over) relax_core();
        });
    }
    constexpr std::int64_t most_looks = 2000;  // of about a millisecond
    std::int64_t looks = 0;
    const FromRank3 what;
    whereabouts().moved();
    {
        Waiter waiter(&what);
        for (; looks < most_looks && !whereabouts().is_waiting(); ++looks) waiter.idle();
        EXPECT_EQ(whereabouts().waits_for(), "a word from rank 3") << "after " << looks << " looks";
        waiter.busy();
        EXPECT_FALSE(whereabouts().is_waiting());
        waiter.idle();
        EXPECT_FALSE(whereabouts().is_waiting()) << "a wait that is over is forgotten";
    }
    over = true;
    for (auto& neighbour : neighbours) neighbour.join();
    Waiter::configure(1, 1);
}

// Something else may have come to its end inside a wait, e.g. another message.
TEST(Waiter, SaysItAnewAfterAMove) {
    const FromRank3 what;
    Waiter waiter(&what);
    while (!whereabouts().is_waiting()) waiter.idle();
    whereabouts().moved();
    waiter.idle();
    EXPECT_EQ(whereabouts().waits_for(), "a word from rank 3");
}

}  // namespace
}  // namespace shardstone::collectives
