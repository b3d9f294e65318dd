// SPDX-License-Identifier: BSD-3-Clause
// What shared memory goes by: tried on these ranks, equal on all of them, in parts as in the whole.
#include "collectives/executors/shared_memory/trial.hpp"

#include <gtest/gtest.h>

#include "collectives/cluster/waiting.hpp"
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

TEST(Trial, RoundsAreOfOneWayEachAndOfTheSlowestRank) {
    using Rounds = std::vector<std::vector<double>>;
    EXPECT_EQ(rounds_of_each({1, 10, 2, 20, 3, 5, 1, 30}, 2, 2), (Rounds{{3, 2}, {10, 30}}));
    EXPECT_EQ(rounds_of_each({1, 10, 100, 2, 20, 200}, 1, 3),
              (Rounds{{1, 2}, {10, 20}, {100, 200}}));
    EXPECT_EQ(rounds_of_each({1, 7, 4}, 3, 1), (Rounds{{7}}));
}

/// The tuning of four ranks with a core each, where staged vectors take a second, and these so
/// long: what is copied once, and what is staged in segments of a half and of a quarter of the
/// default.
SharedMemoryTuning tuning_where(double copied_s, double half_s, double quarter_s) {
    Waiter::configure(1, 1);
    const std::int64_t longest = SharedMemoryTuning::for_ranks(4).segment_bytes;
    return fastest_tuning(4, [&](std::int64_t, const std::vector<SharedMemoryTuning>& ways) {
        std::vector<double> times_s;
        for (const auto& way : ways) {
            const double staged_s = way.segment_bytes == longest       ? 1.0
                                    : way.segment_bytes == longest / 2 ? half_s
                                                                       : quarter_s;
            times_s.push_back(way.single_copy_bytes > 0 ? copied_s : staged_s);
        }
        return times_s;
    });
}

TEST(Trial, CopiesAreTriedAgainstStagedVectors) {
    Waiter::configure(1, 1);
    const std::int64_t smallest = SharedMemoryTuning::for_ranks(4).single_copy_bytes;
    ASSERT_GT(smallest, 0);
    EXPECT_EQ(tuning_where(0.5, 1.0, 1.0).single_copy_bytes, smallest);
    EXPECT_EQ(tuning_where(2.0, 1.0, 1.0).single_copy_bytes, 0);
    // Against the fastest segment, not against the default.
    EXPECT_EQ(tuning_where(0.5, 0.25, 1.0).single_copy_bytes, 0);
}

TEST(Trial, AShorterSegmentMustBeClearlyFaster) {
    Waiter::configure(1, 1);
    const std::int64_t longest = SharedMemoryTuning::for_ranks(4).segment_bytes;
    EXPECT_EQ(tuning_where(2.0, 1.0, 1.0).segment_bytes, longest);
    EXPECT_EQ(tuning_where(2.0, 0.5, 0.75).segment_bytes, longest / 2);
    EXPECT_EQ(tuning_where(2.0, 0.75, 0.5).segment_bytes, longest / 4);
    EXPECT_EQ(tuning_where(2.0, 0.96, 1.0).segment_bytes, longest);
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
