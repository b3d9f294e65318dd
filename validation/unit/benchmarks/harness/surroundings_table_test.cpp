// SPDX-License-Identifier: BSD-3-Clause
// What a record holds of the machine's surroundings.
#include <gtest/gtest.h>

#include "benchmarks/harness/watch_record.hpp"
#include "results/schema/disturbance.hpp"

namespace shardstone::benchmarks {
namespace {

// Every figure another, so that each can only be in its own column.
TEST(SurroundingsTable, HasEveryFigureInItsColumn) {
    Surroundings seen;
    seen.begin_s = 1.5;
    seen.window_s = 2.5;
    seen.others_share = 0.01;
    seen.waiting_share = 0.02;
    seen.stolen_share = 0.07;
    seen.switches = 3.0;
    seen.clock_mhz = 2300.0;
    const auto table = surroundings_table({seen});
    const auto row = results::SurroundingsRow::schema.rows(table, results::format_version).at(0);
    EXPECT_EQ(row.begin_s, 1.5);
    EXPECT_EQ(row.window_s, 2.5);
    EXPECT_EQ(row.disturbed, 1.0);
    EXPECT_EQ(row.others_share, 0.01);
    EXPECT_EQ(row.waiting_share, 0.02);
    EXPECT_EQ(row.stolen_share, 0.07);
    EXPECT_EQ(row.switches, 3.0);
    EXPECT_EQ(row.clock_mhz, 2300.0);
}

}  // namespace
}  // namespace shardstone::benchmarks
