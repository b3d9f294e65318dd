// SPDX-License-Identifier: BSD-3-Clause
// What shared memory goes by: tried on these ranks, equal on all of them, in parts as in the whole.
#include <gtest/gtest.h>

#include "collectives/cluster/waiting.hpp"
#include "collectives/executors/shared_memory_trial.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

TEST(Trial, CopiesPayFromWhereTheyStayTheFaster) {
    EXPECT_EQ(copies_pay_from({{16, 9.0, 1.0}, {64, 9.0, 1.0}}), 16);
    EXPECT_EQ(copies_pay_from({{16, 1.0, 9.0}, {64, 9.0, 1.0}, {256, 9.0, 1.0}}), 64);
    EXPECT_EQ(copies_pay_from({{16, 9.0, 1.0}, {64, 1.0, 9.0}, {256, 9.0, 1.0}}), 256);
    EXPECT_EQ(copies_pay_from({{16, 9.0, 1.0}, {64, 1.0, 9.0}}), 0);
    EXPECT_EQ(copies_pay_from({{16, 1.04, 1.0}}), 0);
    EXPECT_EQ(copies_pay_from({{16, 1.06, 1.0}}), 16);
    EXPECT_EQ(copies_pay_from({}), 0);
}

void expect_equal_on_all(const Communicator& ranks, const SharedMemoryTuning& tuning) {
    for (const std::int64_t value : {tuning.segment_bytes, tuning.single_copy_bytes, tuning.lag}) {
        EXPECT_EQ(ranks.max(static_cast<double>(value)), ranks.min(static_cast<double>(value)));
    }
    const auto first = SharedMemoryTuning::for_ranks(ranks.size());
    EXPECT_LE(tuning.segment_bytes, first.segment_bytes);
    EXPECT_GE(tuning.segment_bytes, first.segment_bytes / 4);
}

// Ranks with a core each are pretended where there are more: then the trial takes place.
TEST(Trial, EqualOnAllRanksAndInParts) {
    Waiter::configure(1, 1);
    const SharedMemoryTuning whole = tried_tuning(world());
    expect_equal_on_all(world(), whole);
    const SharedMemoryTuning again = tried_tuning(world());
    EXPECT_EQ(again.segment_bytes, whole.segment_bytes);
    EXPECT_EQ(again.single_copy_bytes, whole.single_copy_bytes);
    // First parts by halves, then by turns: these bring together ranks that tried in other parts.
    const Communicator half = world().split(2 * world().rank() / world().size());
    expect_equal_on_all(half, tried_tuning(half));
    const Communicator turn = world().split(world().rank() % 2);
    expect_equal_on_all(turn, tried_tuning(turn));
}

}  // namespace
}  // namespace shardstone::validation
