// SPDX-License-Identifier: BSD-3-Clause
// No ring is lost. A lost one would only cost the sleeper's time-out of a tenth of a second, after
// which everything goes on: so time-outs are what is counted here.
#include "collectives/cluster/doorbell.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "collectives/cluster/shared_rounds.hpp"
#include "kernels/base/clock.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

/// Two threads; one sets a word and rings just when the other goes to sleep for it, sooner or later
/// by a few instructions from one round to the next.
class Race {
  public:
    /// Rings that had returned before the sleeper's time-out, and did not wake it.
    int lost(int rounds) {
        int lost = 0;
        std::thread ringer([&] { ring_each(rounds); });
        const double end_s = now_s() + time_limit_s;
        for (int round = 1; round <= rounds && lost < enough && now_s() < end_s; ++round) {
            ready_.store(round, std::memory_order_release);
            delay(round * 7 % most_delay);
            while (news_.load(std::memory_order_acquire) < round) {
                const Doorbell::Listener listener(bell_);
                if (news_.load(std::memory_order_acquire) >= round) break;
                if (!listener.sleep() && rung_.load() >= round) ++lost;
            }
        }
        stop_ = true;
        ringer.join();
        return lost;
    }

  private:
    static constexpr int most_delay = 12;
    static constexpr int enough = 3;
    static constexpr double time_limit_s = 20.0;  // on a busy machine

    void ring_each(int rounds) {
        for (int round = 1; round <= rounds; ++round) {
            while (ready_.load(std::memory_order_acquire) < round) {
                if (stop_) return;
                relax_core();
            }
            delay(round * 13 % most_delay);
            // Weaker than what a locked instruction would do: the fence is ring()'s own.
            news_.store(round, std::memory_order_release);
            bell_.ring();
            rung_ = round;
        }
    }

    static void delay(int steps) {
        for (int i = 0; i < steps; ++i) relax_core();
    }

    Doorbell bell_{};
    alignas(64) std::atomic<int> ready_ = 0;
    alignas(64) std::atomic<int> news_ = 0;
    alignas(64) std::atomic<int> rung_ = 0;
    alignas(64) std::atomic<bool> stop_ = false;
};

TEST(Doorbell, NoRingIsLost) {
    EXPECT_EQ(Race().lost(600'000), 0);
}

TEST(Doorbell, ASleeperWithoutARingTimesOut) {
    Doorbell bell{};
    const Doorbell::Listener listener(bell);
    EXPECT_FALSE(listener.sleep());
}

TEST(Doorbell, ARingBetweenLookAndSleepIsHeard) {
    Doorbell bell{};
    const Doorbell::Listener listener(bell);
    bell.ring();
    EXPECT_TRUE(listener.sleep());
}

/// Whether all waits of two threads in so many rounds ended without a time-out, as ranks do that
/// share a core (who passes it on) or have one each (who looks).
int naps_in_rounds(int rounds, int cores) {
    Waiter::configure(2, cores);
    SharedRounds::Shared shared{};
    std::atomic<int> naps = 0;
    const auto take_part = [&] {
        SharedRounds mine(shared, 2);
        for (int round = 0; round < rounds; ++round) {
            mine.arrive();
            wait_for_news(
                mine.bell(), [&] { return mine.complete(round); }, [&] { ++naps; });
        }
    };
    std::thread other(take_part);
    take_part();
    other.join();
    return naps;
}

TEST(Doorbell, RoundsNeedNoTimeOut) {
    // A neighbour may keep a thread off its core for longer than the time-out, now and then.
    EXPECT_LE(naps_in_rounds(2'000, 1), 2);
    EXPECT_LE(naps_in_rounds(2'000, 2), 2);
    Waiter::configure(1, 1);
}

}  // namespace
}  // namespace shardstone::validation
