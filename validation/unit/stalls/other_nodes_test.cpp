// SPDX-License-Identifier: BSD-3-Clause
// What watchdogs of one node know without others: nothing that could raise an alarm. (Several
// nodes: validation/cluster/stalls.)
#include "collectives/watchdog/other_nodes.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::collectives {
namespace {

TEST(OtherNodes, OneNodeHasNoneToBeSilent) {
    Communicator& world = validation::world();
    OtherNodes others(world, NodeChannel::open(world), 1.0);
    for (int look = 0; look < 100; ++look) EXPECT_FALSE(others.hear(0.25));
    EXPECT_FALSE(others.silent());
    EXPECT_EQ(others.standing_s(), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(others.are_all_above());
    EXPECT_FALSE(others.are_heard());
    others.tell(0.0, "");
    others.say_that_all_left();
    EXPECT_EQ(others.collect_waiters("own"), "");
}

}  // namespace
}  // namespace shardstone::collectives
