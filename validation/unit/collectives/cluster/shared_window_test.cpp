// SPDX-License-Identifier: BSD-3-Clause
// The window, the doorbell and the rounds: what the shared-memory executors stand on.
#include "collectives/cluster/shared_window.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "collectives/cluster/shared_barrier.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/random.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

TEST(SharedWindow, EveryRankSeesEveryPart) {
    constexpr std::int64_t part_bytes = 10000;
    const SharedWindow window(world(), part_bytes);
    ASSERT_EQ(window.lanes(), world().size());
    ASSERT_EQ(window.lane(), world().rank());
    for (const std::int64_t offset : {std::int64_t{0}, part_bytes - 8}) {
        EXPECT_EQ(window.at<std::int64_t>(window.lane(), offset), 0) << "not zeroed";
        window.at<std::int64_t>(window.lane(), offset) = 100 + window.lane();
    }
    world().barrier();
    for (int lane = 0; lane < window.lanes(); ++lane) {
        EXPECT_EQ(window.at<std::int64_t>(lane, 0), 100 + lane);
        EXPECT_EQ(window.at<std::int64_t>(lane, part_bytes - 8), 100 + lane);
    }
    world().barrier();
}

TEST(SharedWindow, BuffersAreFoundByAddress) {
    const auto first = make_shared_buffer(world(), 5000);
    const auto second = make_shared_buffer(world(), 0);
    const auto place = SharedWindow::find(first.get() + 100, 4900);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->offset_bytes, 100);
    EXPECT_FALSE(SharedWindow::find(first.get() + 100, 4901)) << "beyond its end";
    EXPECT_NE(SharedWindow::find(second.get(), 0)->window, place->window);
    const int local = 0;
    EXPECT_FALSE(SharedWindow::find(&local, sizeof local));
    const auto identity = static_cast<double>(place->window->identity());
    EXPECT_EQ(world().min(identity), world().max(identity));
}

TEST(SharedWindow, MemoryThatIsNotThereIsOneClearLineOnAllRanks) {
    try {
        const SharedWindow window(world(), std::int64_t{1} << 55);
        FAIL() << "32 PiB were granted";
    } catch (const AgreedError& error) {
        if (error.reports()) {
            EXPECT_NE(std::string(error.what()).find("use less"), std::string::npos)
                << error.what();
        }
    }
}

/// Rank 1 changes a word that rank 0 sleeps on. Returns whether a ring woke rank 0.
bool woken_after_change(const SharedWindow& window, bool rings) {
    auto& bell = window.at<Doorbell>(0, 0);
    auto& word = window.at<std::int64_t>(0, sizeof(Doorbell));
    bool woken = false;
    world().barrier();
    if (world().rank() == 0) {
        const Doorbell::Listener listener(bell);
        if (std::atomic_ref(word).load() == 0) woken = listener.sleep();
    } else if (world().rank() == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        std::atomic_ref(word).store(1);
        if (rings) bell.ring();
    }
    woken = world().max(woken ? 1.0 : 0.0) > 0.0;
    if (world().rank() == 0) word = 0;
    return woken;
}

TEST(Doorbell, AMissingRingIsCaught) {
    if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
    const SharedWindow window(world(), sizeof(Doorbell) + 64);
    EXPECT_TRUE(woken_after_change(window, /*rings=*/true));
    EXPECT_FALSE(woken_after_change(window, /*rings=*/false)) << "the sleeper does not need rings";
}

/// Goes through rounds with random pauses, and counts rounds that began before all had ended the
/// one before. Returns the time.
double stress_barrier(int rounds, std::int64_t& early) {
    SharedBarrier barrier(world());
    const SharedWindow counts(world(), 64);
    const RandomStream random(11, static_cast<std::uint64_t>(world().rank()));
    const double start_s = now_s();
    for (int round = 0; round < rounds; ++round) {
        const auto dice = random.below(64, static_cast<std::uint64_t>(round));
        if (dice == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
        if (dice == 1) std::this_thread::yield();
        std::atomic_ref(counts.at<std::int64_t>(counts.lane(), 0))
            .store(round + 1, std::memory_order_relaxed);
        barrier.wait();
        for (int lane = 0; lane < counts.lanes(); ++lane) {
            const auto seen =
                std::atomic_ref(counts.at<std::int64_t>(lane, 0)).load(std::memory_order_relaxed);
            if (seen < round + 1) ++early;
        }
    }
    return now_s() - start_s;
}

TEST(SharedBarrier, HoldsBackUnderRandomDelaysAndLosesNoWakeUp) {
    constexpr int rounds = 2000;
    std::int64_t early = 0;
    const double time_s = stress_barrier(rounds, early);
    EXPECT_EQ(early, 0);
    // A lost wake-up costs a tenth of a second (Doorbell). A busy machine costs time slices, some
    // milliseconds each: were one round in three lost, it would take longer than this.
    EXPECT_LT(time_s, 0.1 * rounds / 3);
}

}  // namespace
}  // namespace shardstone::validation
