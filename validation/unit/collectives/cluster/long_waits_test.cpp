// SPDX-License-Identifier: BSD-3-Clause
// Long waits for ranks that are late, in collective calls and elsewhere; and none of short ones.
#include "collectives/cluster/long_waits.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <array>

#include "kernels/base/clock.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using collectives::LongWait;
using collectives::LongWaits;

constexpr double least_s = 0.5, late_s = 1.5;

void sleep_for(double time_s) {
    const auto whole_s = static_cast<std::time_t>(time_s);
    timespec left{whole_s, static_cast<long>(1e9 * (time_s - static_cast<double>(whole_s)))};
    while (nanosleep(&left, &left) != 0) {
    }
}

/// The last rank comes late to a barrier in a stage; what this rank noted.
std::vector<LongWait> waits_for_the_last(std::span<const int> ranks) {
    auto& comm = world();
    comm.barrier();
    LongWaits waits(least_s);
    LongWaits::enter_stage(7, ranks);
    comm.barrier();
    if (comm.rank() == comm.size() - 1) sleep_for(late_s);
    comm.barrier();
    return waits.take();
}

TEST(LongWaits, TellWhomAndWhereARankWaitedFor) {
    auto& comm = world();
    const double begin_s = now_s();
    const auto waits = waits_for_the_last({});
    if (comm.rank() == comm.size() - 1) {
        EXPECT_TRUE(waits.empty()) << "nobody is later than it";
        return;
    }
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].stage, 7);
    EXPECT_GE(waits[0].begin_s, begin_s);
    EXPECT_LE(waits[0].end_s, now_s());
    EXPECT_GE(waits[0].end_s - waits[0].begin_s, least_s);
    EXPECT_LE(waits[0].no_core_s, waits[0].end_s - waits[0].begin_s);
    if (comm.rank() != 0) return;
    // In the first step of the second barrier rank 0 waits for the last, however many there are.
    std::int64_t steps = 0;
    for (int distance = 1; distance < comm.size(); distance *= 2) ++steps;
    EXPECT_EQ(waits[0].awaited, comm.size() - 1);
    EXPECT_EQ(waits[0].step, steps + 1);
}

TEST(LongWaits, TellRanksInTheNumbersThatAreAskedFor) {
    const std::array<int, 8> ranks{10, 11, 12, 13, 14, 15, 16, 17};
    const auto waits = waits_for_the_last(ranks);
    if (world().rank() != 0) return;
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].awaited, 9 + world().size());
}

TEST(LongWaits, AreNotNotedWhereNobodyAsks) {
    auto& comm = world();
    if (comm.rank() != 0) sleep_for(late_s);
    comm.barrier();
    LongWaits waits(least_s);
    EXPECT_TRUE(waits.take().empty());
}

/// The root of a gathering waits for a rank that has not come; that one then waits for nobody.
TEST(LongWaits, OfTheRootAreForOneRankAfterAnother) {
    auto& comm = world();
    LongWaits waits(least_s);
    LongWaits::enter_stage(1);
    if (comm.rank() == 1) sleep_for(late_s);
    comm.gather("a text");
    comm.barrier();
    if (!comm.is_root()) return;
    const auto seen = waits.take();
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].awaited, 1);
    EXPECT_EQ(seen[0].step, 1);
}

}  // namespace
}  // namespace shardstone::validation
