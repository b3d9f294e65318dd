// SPDX-License-Identifier: BSD-3-Clause
// All ranks see the same disturbances and repeat a measurement together, or none does.
#include "benchmarks/harness/watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "benchmarks/harness/tries.hpp"
#include "kernels/base/clock.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::benchmarks {
namespace {

using validation::world;

void work_for(double duration_s) {
    std::atomic<int> turns = 0;
    for (const double begin_s = now_s(); now_s() - begin_s < duration_s;) ++turns;
}

/// A machine of as many cores as ranks on which all time is the ranks' own, but for what others
/// take between two looks. All times are those of one moment: a busy machine may well keep the
/// reader waiting between two of them.
class AllOurs : public MachineReader {
  public:
    explicit AllOurs(double others_s) : others_s_(others_s) {}

    std::vector<int> cores_of(std::span<const pid_t> processes) const override {
        ranks_ = static_cast<int>(processes.size());
        return {0};
    }
    std::optional<CoreTimes> core_times(std::span<const int>) const override {
        // Idle is what the ranks did not use, less what others did.
        const double used_s = others_s_ * looks_++ + ranks_ * busy_ * told_s_;
        return CoreTimes{ranks_, ranks_ * told_s_ - used_s, 0.0};
    }
    double time_s() const override { return told_s_ = now_s(); }
    ProcessTimes process_times(pid_t) const override { return {busy_ * told_s_, 0.0, 0.0}; }

  private:
    double others_s_;
    static constexpr double busy_ = 0.75;  ///< of its time that a rank computes
    mutable int ranks_ = 0, looks_ = 0;
    mutable double told_s_ = 0.0;
};

bool same_everywhere(double value) {
    return std::isnan(value) || world().min(value) == world().max(value);
}

TEST(Watch, GivesTheSameOnAllRanks) {
    Watch watch(world());
    watch.begin();
    work_for(0.05 * (1 + world().rank()));
    const Surroundings seen = watch.end();
    EXPECT_GE(seen.window_s, least_window_s - 1e-6);
    for (const double value : {seen.others_share, seen.waiting_share, seen.stolen_share,
                               seen.worst_share(), seen.window_s, seen.begin_s}) {
        EXPECT_TRUE(same_everywhere(value)) << value;
    }
    EXPECT_TRUE(same_everywhere(seen.known() ? 1.0 : 0.0));
}

TEST(Watch, TheRanksOwnWorkIsNoneOfTheOthers) {
    Watch watch(world(), std::make_unique<AllOurs>(0.0));
    watch.begin();
    work_for(0.6);
    const Surroundings seen = watch.end();
    EXPECT_LT(seen.others_share, 0.01);
    EXPECT_FALSE(seen.disturbed());
}

TEST(Watch, WhatOthersTakeBesideItIsSeen) {
    Watch watch(world(), std::make_unique<AllOurs>(0.1 * world().size()));
    watch.begin();
    work_for(0.6);
    const Surroundings seen = watch.end();
    EXPECT_NEAR(seen.others_share, 0.1 / seen.window_s, 0.01);
    EXPECT_TRUE(seen.disturbed());
}

TEST(Watch, AllRanksRepeatTogether) {
    Watch watch(world());
    int tries = 0, kept = 0;
    const Watched watched = watch.until_quiet([&] { work_for(0.02), ++tries; }, [&] { ++kept; });
    EXPECT_EQ(watched.tries, tries);
    EXPECT_TRUE(same_everywhere(tries));
    EXPECT_TRUE(same_everywhere(kept));
    EXPECT_GE(kept, 1);
    EXPECT_EQ(static_cast<int>(watch.log().size()), tries);
}

/// As many cores as ranks, all of them busy with others; of the ranks only the first has to wait,
/// for a quarter of the time.
class FirstWaits : public MachineReader {
  public:
    std::vector<int> cores_of(std::span<const pid_t> processes) const override {
        first_ = processes.front();
        ranks_ = static_cast<int>(processes.size());
        return {0};
    }
    std::optional<CoreTimes> core_times(std::span<const int>) const override {
        return CoreTimes{ranks_, 0.0, 0.0};
    }
    double time_s() const override { return told_s_ = now_s(); }
    ProcessTimes process_times(pid_t process) const override {
        return {0.0, process == first_ ? 0.25 * told_s_ : 0.0, 0.0};
    }

  private:
    mutable pid_t first_ = 0;
    mutable int ranks_ = 0;
    mutable double told_s_ = 0.0;
};

TEST(Watch, TheLongestWaitOfAnyRankCounts) {
    Watch watch(world(), std::make_unique<FirstWaits>());
    watch.begin();
    work_for(0.6);
    EXPECT_NEAR(watch.end().waiting_share, 0.25, 1e-6);
}

TEST(StallWatch, MoreWorkIsALargerFactor) {
    const int ranks = world().size(), last = ranks - 1;
    const auto times = StallWatch(world()).rank_times(2.0 + world().rank(), 0.25 * world().rank());
    ASSERT_EQ(static_cast<int>(times.size()), ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        const RankPace& one = times[static_cast<std::size_t>(rank)];
        EXPECT_EQ(one.rank, rank);
        EXPECT_EQ(one.own_s, 2.0 + rank);
        EXPECT_EQ(one.late_s, 0.25 * rank);
        EXPECT_TRUE(rank == 0 || one.factor > times[static_cast<std::size_t>(rank) - 1].factor);
    }
    if (ranks == 1) return;
    EXPECT_LT(times.front().factor, 1.0);
    EXPECT_GT(times[static_cast<std::size_t>(last)].factor, 1.0);
}

/// Samples of 10 us, all of them before anything that a real pulse can see.
struct MadeUpSeries {
    std::vector<double> samples_s = std::vector(20, 1e-5), begin_s, end_s;

    MadeUpSeries() {
        for (std::size_t i = 0; i < samples_s.size(); ++i) {
            begin_s.push_back(1e-4 * static_cast<double>(i));
            end_s.push_back(begin_s.back() + 1e-5);
        }
    }
};

TEST(Tries, AStalledOneIsTakenAgainAndCountsNoMore) {
    Watch watch(world(), std::make_unique<AllOurs>(0.0));
    StallWatch pulses(world());
    MadeUpSeries series;
    int attempts = 0, better = 0;
    const Tries tries = until_undisturbed(
        watch, pulses,
        [&] {
            series.samples_s[7] = ++attempts == 1 ? 0.5 : 1e-5;
            work_for(0.02);
        },
        [&] { better = attempts; },
        [&] {
            return Series{series.samples_s, series.begin_s, series.end_s};
        });
    EXPECT_EQ(tries.watched.tries, 2);
    EXPECT_EQ(attempts, 2);
    EXPECT_EQ(tries.kept, 2);
    EXPECT_EQ(better, 2);
    int found = 0;
    for (const Stall& stall : tries.stalls) {
        if (!stall.of_sample()) continue;  // the machine may have held up the test
        ++found;
        EXPECT_EQ(stall.outlier.occasion, (Occasion{7, true}));
        EXPECT_EQ(stall.attempt, 1);
        EXPECT_FALSE(stall.kept);
    }
    EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace shardstone::benchmarks
