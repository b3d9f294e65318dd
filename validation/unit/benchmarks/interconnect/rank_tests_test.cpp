// SPDX-License-Identifier: BSD-3-Clause
// Tests of ranks: what a wake-up is, who works when, and that a turn begins for all at once.
#include "benchmarks/interconnect/rank_tests.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/harness/gathered_gpu_readings.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/running_kernel.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using benchmarks::RankTest;
using benchmarks::RankTests;
using benchmarks::RankTurn;

cpu_set_t own_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof(cores), &cores);
    return cores;
}

int first_of(const cpu_set_t& cores) {
    int first = 0;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &cores)) ++first;
    return first;
}

/// All ranks may use one core only, the same, while this lives.
class OneCoreForAll {
  public:
    OneCoreForAll() : before_(own_cores()) {
        const double of_root = world().is_root() ? first_of(before_) : 0.0;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<int>(world().max(of_root)), &one);
        sched_setaffinity(0, sizeof(one), &one);
    }
    OneCoreForAll(const OneCoreForAll&) = delete;
    OneCoreForAll& operator=(const OneCoreForAll&) = delete;
    ~OneCoreForAll() { sched_setaffinity(0, sizeof(before_), &before_); }

  private:
    cpu_set_t before_;
};

/// Of every rank, in order.
std::vector<double> of_all(double value) {
    return world().all_gather(std::span(&value, 1));
}

// Whatever else the machine does: what this takes is a millisecond of sleep and the excess.
TEST(RankWork, AWakeUpIsTheExcessOverItsSleep) {
    benchmarks::RankWork work;
    for (int i = 0; i < 5; ++i) {
        const double begin_s = now_s();
        const double excess_s = work.piece_s(RankTest::wake_up);
        const double all_s = now_s() - begin_s;
        EXPECT_GE(excess_s, 0.0);
        EXPECT_LE(excess_s, all_s - 1e-3 + 1e-9);
    }
}

/// The piece that was held up least, and what its call took.
struct Arithmetic {
    double piece_s = 0.0, call_s = std::numeric_limits<double>::infinity();
};
Arithmetic least_arithmetic(std::int64_t steps) {
    benchmarks::RankWork work;
    work.take_over({steps});
    Arithmetic least;
    for (int i = 0; i < 50; ++i) {
        const double begin_s = now_s();
        const double piece_s = work.piece_s(RankTest::arithmetic);
        const double call_s = now_s() - begin_s;
        if (call_s < least.call_s) least = {piece_s, call_s};
    }
    return least;
}

// Two records may have pieces of other lengths, and are compared.
TEST(RankWork, ArithmeticIsOfAGflopHoweverLongThePieces) {
    for (const std::int64_t steps : {16'000, 64'000}) {
        const Arithmetic least = least_arithmetic(steps);
        const double gflop = 1e-9 * 64 * 2 * static_cast<double>(steps);
        EXPECT_LE(least.piece_s * gflop, least.call_s);
        EXPECT_GT(least.piece_s * gflop, 0.75 * least.call_s);
    }
}

/// Whose clock is not the host's.
class FakeGpu : public benchmarks::GpuWork {
  public:
    explicit FakeGpu(std::int64_t& rows) : rows_(rows) {}
    std::int64_t rows_to_time() override { return 4096; }
    void take_over(std::int64_t rows) override { rows_ = rows; }
    double product_s() override {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return 3.0;
    }
    double watched_product_s() override { return 4.0; }
    double copy_s() override { return 5.0; }
    double transfer_s() override { return 7.0; }
    std::vector<results::GpuReadingRow> take_readings() override {
        return std::exchange(readings_, {});
    }
    std::string why_no_readings() const override { return "it is none"; }

  private:
    std::int64_t& rows_;
    std::vector<results::GpuReadingRow> readings_{{.sm_mhz = 1400.0, .limited_by = "power"}};
};

TEST(RankWork, OfAGpuIsToldByItsClockAndPlannedByTheHosts) {
    std::int64_t rows = 0;
    benchmarks::RankWork work(std::make_unique<FakeGpu>(rows));
    EXPECT_EQ(work.find_sizes().rows, 4096);
    work.take_over({.steps = 1000, .rows = 777});
    EXPECT_EQ(rows, 777);
    EXPECT_EQ(work.piece_s(RankTest::gpu_product), 3.0);
    EXPECT_EQ(work.piece_s(RankTest::gpu_memory), 5.0);
    EXPECT_EQ(work.piece_s(RankTest::gpu_transfer), 7.0);
    EXPECT_EQ(work.last_piece_s(RankTest::gpu_transfer), 7.0);
    EXPECT_EQ(work.last_piece_s(RankTest::gpu_product), 4.0) << "it is read meanwhile";
    EXPECT_GE(work.usual_piece_s(RankTest::gpu_product), 9e-3) << "which it sleeps";
    EXPECT_LT(work.usual_piece_s(RankTest::gpu_product), 2.5);
    EXPECT_EQ(work.take_gpu_readings().at(0).sm_mhz, 1400.0);
    EXPECT_EQ(work.why_no_gpu_readings(), "it is none");
    EXPECT_TRUE(benchmarks::RankWork().take_gpu_readings().empty());
    EXPECT_EQ(benchmarks::RankWork().why_no_gpu_readings(), "");
}

TEST(GpuReadings, OfAllRanksKeepWhatIsUnknown) {
    std::vector<results::GpuReadingRow> mine(static_cast<std::size_t>(world().rank()) + 1);
    for (auto& row : mine) row.time_s = world().rank();
    mine.back().sm_mhz = 1000.0 + world().rank();
    mine.back().limited_by = "heat";
    const auto all = benchmarks::gathered_gpu_readings(world(), mine);
    if (!world().is_root()) {
        EXPECT_TRUE(all.empty());
        return;
    }
    auto row = all.begin();
    for (int rank = 0; rank < world().size(); ++rank) {
        for (int i = 0; i <= rank; ++i, ++row) {
            ASSERT_NE(row, all.end());
            EXPECT_EQ(row->rank, rank);
            EXPECT_EQ(row->time_s, rank);
            EXPECT_TRUE(std::isnan(row->energy_j));
            EXPECT_EQ(std::isnan(row->sm_mhz), i < rank);
            EXPECT_EQ(row->limited_by, i < rank ? "" : "heat");
        }
        EXPECT_EQ((row - 1)->sm_mhz, 1000.0 + rank);
    }
    EXPECT_EQ(row, all.end());
}

TEST(RankTurns, RanksThatShareACoreTakeThemOneAfterAnother) {
    if (running_kernel() < 0.0) GTEST_SKIP() << "ranks of one machine are not told";
    const OneCoreForAll one_core;
    const RankTurn mine = benchmarks::agree_on_turns(world());
    EXPECT_EQ(mine.turns, world().size());
    auto turns = of_all(mine.turn);
    std::ranges::sort(turns);
    for (std::size_t i = 0; i < turns.size(); ++i) EXPECT_EQ(turns[i], static_cast<double>(i));
}

TEST(RankTurns, RanksWithACoreOfTheirOwnWorkAtOnce) {
    const cpu_set_t cores = own_cores();
    if (world().min(CPU_COUNT(&cores)) < world().size()) GTEST_SKIP() << "there are too few cores";
    const RankTurn mine = benchmarks::agree_on_turns(world());
    EXPECT_EQ(mine.turn, 0);
    EXPECT_EQ(mine.turns, 1);
}

// A turn of 0.16 s has a slot of 0.2 s. Ranks of one machine have one clock.
TEST(RankTests, RanksThatShareACoreWorkOneAfterAnother) {
    if (running_kernel() < 0.0) GTEST_SKIP() << "ranks of one machine are not told";
    const OneCoreForAll one_core;
    RankTests tests(world(), 0.0, world().max(now_s()));
    auto samples = tests.run(1);
    std::erase_if(samples, [](const auto& one) { return one.test != RankTest::arithmetic; });
    std::ranges::sort(samples, {}, &benchmarks::RankSample::at_s);
    for (std::size_t i = 1; i < samples.size(); ++i) {
        EXPECT_GT(samples[i].at_s - samples[i - 1].at_s, 0.15) << "turns are not at once";
    }
}

// The last rank comes late to its turn; ranks of one machine have one clock.
TEST(RankTests, NoRankBeginsATurnBeforeAllHaveCome) {
    constexpr std::chrono::milliseconds late{1000};
    const int last = world().size() - 1;
    RankTests tests(world(), 0.0);
    // A bit after the moment from which a rank counts the times of its turns.
    const auto begun_s = of_all(now_s());
    double came_s = 0.0;
    const auto samples = tests.run(1, [&](int) {
        if (world().rank() == last) std::this_thread::sleep_for(late);
        came_s = now_s();
    });
    const double all_came_s = std::ranges::max(of_all(came_s));
    if (!world().is_root()) return;
    EXPECT_EQ(samples.size(), 3u * begun_s.size());
    for (const auto& sample : samples) {
        EXPECT_GE(begun_s[static_cast<std::size_t>(sample.rank)] + sample.at_s, all_came_s)
            << "rank " << sample.rank << ", " << to_string(sample.test);
    }
}

}  // namespace
}  // namespace shardstone::validation
