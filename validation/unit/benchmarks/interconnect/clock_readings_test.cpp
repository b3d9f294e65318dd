// SPDX-License-Identifier: BSD-3-Clause
// Clocks that are known to be off are read as such, within what a reading may be wrong by.
#include "benchmarks/interconnect/clock_readings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using benchmarks::read_clocks;

/// Each rank's clock is so much ahead: rank 1 by 0.3 s, rank 2 by 0.6 s behind ...
std::int64_t ahead_ns(int rank) {
    return (rank % 2 == 0 ? -300'000'000 : 300'000'000) * std::int64_t{rank};
}

TEST(ClockReadings, SayHowFarAClockIsAheadAndHowSurely) {
    std::vector<int> ranks;
    for (int rank = 1; rank < world().size(); rank += 2) ranks.push_back(rank);
    const auto clock = [] { return benchmarks::unix_now_ns() + ahead_ns(world().rank()); };
    const auto readings = read_clocks(world(), ranks, 5, clock);
    ASSERT_EQ(readings.size(), world().is_root() ? 5 * ranks.size() : 0u);
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const auto& one = readings[i];
        EXPECT_EQ(one.rank, ranks[i / 5]);
        EXPECT_GT(one.error_s, 0.0);
        // Ranks of one machine have one clock: the reading may be wrong by so much, and is not
        // more.
        EXPECT_LE(std::abs(one.ahead_s - 1e-9 * static_cast<double>(ahead_ns(one.rank))),
                  one.error_s + 1e-9);
        EXPECT_LT(one.error_s, 0.1);
        EXPECT_NEAR(one.at_s, 1e-9 * static_cast<double>(benchmarks::unix_now_ns()), 60.0);
    }
}

TEST(ClockReadings, OfNobodyAreNone) {
    EXPECT_TRUE(read_clocks(world(), {}, 5).empty());
}

}  // namespace
}  // namespace shardstone::validation
