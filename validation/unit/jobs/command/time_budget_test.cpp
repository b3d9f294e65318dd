// SPDX-License-Identifier: BSD-3-Clause
// --seconds of `shardstone collectives`: how long a point whose times never settle is measured, by
// the real command with one such algorithm besides (restless_test.cpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

/// Its times in the record, in s.
std::vector<double> times_within(double seconds) {
    const RecordedRun run(2,
                          fmt::format("collectives --cluster clock.toml --algorithm restless -b 64 "
                                      "-e 64 -w 0 --seconds {}",
                                      seconds),
                          {{"clock.toml", clock_cluster}});
    EXPECT_EQ(run.code(), 0) << run.errors();
    return samples_of(run.record(), name_of(Rows(run.record(), "collectives"), 0));
}

TEST(TimeBudget, IsWhatAPointThatNeverSettlesTakes) {
    const auto brief = times_within(0.1), longer = times_within(0.8);
    // 50 of 2 ms each, or fewer on a busy machine, and the batch that was under way.
    EXPECT_LT(std::accumulate(brief.begin(), brief.end(), 0.0), 0.25) << brief.size() << " samples";
    EXPECT_GT(longer.size(), 3 * brief.size()) << "in eight times the time";
}

}  // namespace
}  // namespace shardstone::validation
