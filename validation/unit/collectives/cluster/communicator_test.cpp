// SPDX-License-Identifier: BSD-3-Clause
// Reductions, texts, errors and barriers of a communicator are the same for all its ranks.
#include "collectives/cluster/communicator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "kernels/base/clock.hpp"
#include "kernels/base/whereabouts.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

TEST(Communicator, ReductionsAgreeOnAllRanks) {
    const int last = world().size() - 1;
    EXPECT_EQ(world().max(world().rank()), last);
    EXPECT_EQ(world().min(world().rank()), 0);
    EXPECT_EQ(world().sum(world().rank()), last * (last + 1) / 2);
}

TEST(Communicator, TextTravels) {
    const std::string text(100000, 'x');
    EXPECT_EQ(world().broadcast(world().is_root() ? text : ""), text);
    const auto all = world().gather(std::to_string(world().rank()));
    ASSERT_EQ(all.size(), world().is_root() ? static_cast<std::size_t>(world().size()) : 0U);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], std::to_string(i));
}

TEST(Communicator, OneRanksErrorIsEveryRanksError) {
    const int culprit = world().size() / 2;
    try {
        world().agree([&] {
            if (world().rank() == culprit) fail("no such shard");
            return 1;
        });
        FAIL() << "nobody threw";
    } catch (const AgreedError& error) {
        EXPECT_EQ(error.reports(), world().rank() == culprit);
        if (error.reports()) {
            EXPECT_STREQ(error.what(), "no such shard");
        }
    }
    EXPECT_EQ(world().agree([] { return 5; }), 5);
}

TEST(Communicator, BarrierHoldsBackUntilTheLastArrives) {
    // Ranks of one machine have one clock. Each is the late one in turn.
    for (int round = 0; round < 3 * world().size(); ++round) {
        const bool late = world().rank() == round % world().size();
        if (late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const double came_s = now_s();
        world().barrier();
        const double left_s = now_s();
        EXPECT_GE(world().min(left_s), world().max(came_s)) << "round " << round;
    }
}

/// What this rank was said to wait for most of the time in `helper`, which the last rank comes to
/// half a second late, or more where nothing was said, as on a machine that kept this rank away.
std::string awaited_in(const std::function<void()>& helper) {
    std::map<std::string, int> seen;
    const auto is_unseen = [&] { return world().max(world().is_root() && seen.empty() ? 1 : 0); };
    for (int halves = 1; halves < 20 && is_unseen() > 0; halves *= 2) {
        if (world().rank() == world().size() - 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(500 * halves));
        std::atomic<bool> over = false;
        std::thread watcher([&] {
            for (; !over; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
                const std::string what = whereabouts().waits_for();
                if (!what.empty()) ++seen[what];
            }
        });
        helper();
        over = true;
        watcher.join();
    }
    if (seen.empty()) return "";
    return std::ranges::max_element(seen, {}, [](const auto& one) { return one.second; })->first;
}

TEST(Communicator, SaysWhichMessageOfWhichHelperItWaitsFor) {
    if (world().size() < 2) GTEST_SKIP() << "a single rank waits for nobody";
    const std::string late = " rank " + std::to_string(world().size() - 1);
    const std::string gather = awaited_in([] { world().gather("text"); });
    const std::string values = awaited_in([] { world().max(1.0); });
    const std::string barrier = awaited_in([] { world().barrier(); });
    if (!world().is_root()) return;
    EXPECT_EQ(gather, "a gathering: from" + late);
    EXPECT_EQ(values, "a gathering: from" + late);
    EXPECT_EQ(barrier, "a barrier: from" + late);
}

}  // namespace
}  // namespace shardstone::validation
